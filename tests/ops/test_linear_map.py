"""The product with a transposed matrix keeps all laws, and its cotangents are rows in order."""

import numpy as np

from autodiff import vjp
from autodiff.ops.matrices.products import linear_map
from autodiff.testing import Case, check_case
from autodiff.testing.draws.domains import real

MAP = Case(
    "linear_map",
    linear_map,
    (real, real),
    shapes=[((2, 3), (4, 3)), ((1, 2), (1, 2)), ((0, 2), (3, 2))],
    dtypes=("float64", "float32", "complex128"),
    scalars=False,
)


def test_linear_map_keeps_all_laws() -> None:
    check_case(MAP)


def test_the_cotangent_of_the_matrix_needs_no_copy() -> None:
    x, w = np.ones((2, 3)), np.ones((4, 3))
    _, pull = vjp(linear_map, x, w)
    _, ct = pull(np.ones((2, 4)))
    assert ct.flags.c_contiguous
    np.testing.assert_array_equal(ct, np.full((4, 3), 2.0))
