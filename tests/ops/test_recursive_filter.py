"""A signal with feedback keeps all laws, by its coefficients too."""

import numpy as np
import scipy.signal

from autodiff.ops.recursive_filter import recursive_filter
from autodiff.testing import Case, check_case
from autodiff.testing.draws.domains import real

FILTER = Case(
    "recursive_filter",
    recursive_filter,
    (real, real),
    shapes=[((2,), (5,)), ((3,), (2, 4)), ((2, 2), (5,)), ((3,), (2,)), ((2, 1, 2), (3, 4)), ((2,), (0, 3))],
    dtypes=("float64", "float32", "complex128"),
    scalars=False,
)


def test_recursive_filter_keeps_all_laws() -> None:
    check_case(FILTER)


def test_recursive_filter_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    for taps in (1, 2, 5):
        a, w = rng.uniform(-0.3, 0.3, size=taps), rng.normal(size=(3, 7))
        np.testing.assert_allclose(recursive_filter(a, w), scipy.signal.lfilter([1.0], [1.0, *a], w))
