"""scipy.spatial: all laws, values as SciPy's, refusals."""

import numpy as np
import pytest
import scipy.spatial.distance as sd

import autodiff
from autodiff.scipy.spatial import distance
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError

rng = np.random.default_rng(0)
u, v = rng.uniform(0.5, 2, 4), rng.uniform(0.5, 2, 4)
a, b = rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
VI = np.eye(4) + 0.1

# fmt: off
PROGRAMS = {
    "cdist":            (lambda a, b: distance.cdist(a, b), (a, b)),
    "pdist":            (lambda a: distance.pdist(a, "cosine"), (a,)),
    "squareform":       (lambda a: distance.squareform(distance.squareform(distance.pdist(a))), (a,)),
    "cdist mahalanobis": (lambda a, b: distance.cdist(a, b, "mahalanobis", VI=VI), (a, b)),
    **{name: (getattr(distance, name), (u, v)) for name in
       ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation", "braycurtis", "canberra", "jensenshannon")},
    "minkowski 3":      (lambda u, v: distance.minkowski(u, v, 3), (u, v)),
    "seuclidean":       (distance.seuclidean, (u, v, u + v)),
}
# fmt: on


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    skip = ("value", "replay", "compiled", "batch", "spec")
    if name == "jensenshannon":  # SciPy's own values are NaN where a numerical derivative goes
        skip = (*skip, "forward", "reverse", "continuous", "digits", "forward over reverse", "forward over forward")
    check_laws(fun, args, skip=skip, name=name)
    value = fun(*args)
    np.testing.assert_allclose(autodiff.vjp(fun, *args)[0], value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(autodiff.jit(fun)(*args), value, rtol=1e-9, atol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([z, z]) for z in args))
    np.testing.assert_allclose(batched[1], value, rtol=1e-9, atol=1e-12)


def test_distances_of_equal_points_are_not_nan():
    gradient = autodiff.grad(lambda a: np.sum(distance.cdist(a, a)))(a)
    assert np.isfinite(gradient).all()


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^distances of traced vectors have no metric='hamming' \(test_spatial.py:\d+\) here; take one of",
    ):
        autodiff.grad(lambda a: np.sum(distance.cdist(a, b, "hamming")))(a)


def test_squareform_keeps_its_type():
    x = np.arange(1, 4, dtype=np.float32)
    found, expected = autodiff.jit(distance.squareform)(x), sd.squareform(x)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("centered", [True, False])
def test_correlation_about_the_mean_or_zero(centered):
    u, v = rng.normal(size=(2, 5))

    def fun(u):
        return distance.correlation(u, v, None, centered)

    np.testing.assert_allclose(autodiff.jit(fun)(u), sd.correlation(u, v, centered=centered))
    slope = [(fun(u + step) - fun(u - step)) / 2e-6 for step in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(autodiff.grad(fun)(u), slope, rtol=1e-6, atol=1e-8)
    with pytest.raises(DifferentiationError, match=r"^correlation of traced values has no w="):
        autodiff.jit(lambda u: distance.correlation(u, v, np.ones(5)))(u)
