"""scipy.interpolate and scipy.spatial: all laws, values as SciPy's, refusals."""

import numpy as np
import pytest
import scipy.interpolate as si

import autodiff
from autodiff.scipy import interpolate
from autodiff.scipy.spatial import distance
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 4, 7))
y, two = rng.normal(size=7), rng.normal(size=(7, 2))
at = np.array([[0.5, 1.7], [2.2, 3.9]])
u, v = rng.uniform(0.5, 2, 4), rng.uniform(0.5, 2, 4)
a, b = rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
VI = np.eye(4) + 0.1
periodic = np.append(y[:-1], y[0])

# fmt: off
PROGRAMS = {
    "CubicSpline":      (lambda y, t: interpolate.CubicSpline(x, y)(t), (y, at)),
    "natural, axis":    (lambda y, t: interpolate.CubicSpline(x, y.T, axis=1, bc_type="natural")(t), (two, at)),
    "periodic":         (lambda t: interpolate.CubicSpline(x, periodic, bc_type="periodic")(t), (at + 5,)),
    "slope":            (lambda y, t: interpolate.CubicSpline(x, y)(t, 1), (y, at)),
    "integral":         (lambda y, t: interpolate.CubicSpline(x, y).integrate(t[0, 0], t[1, 1]), (y, at)),
    "not beyond":       (lambda y, t: interpolate.CubicSpline(x, y, extrapolate=False)(t), (y, np.clip(at, x[0] + 0.1, x[-1] - 0.1))),
    "make_interp_spline": (lambda y, t: interpolate.make_interp_spline(x, y, k=5)(t), (y, at)),
    "linear spline":    (lambda t: interpolate.make_interp_spline(x, two, k=1)(t), (at,)),
    "pchip":            (lambda t: interpolate.PchipInterpolator(x, y)(t), (at,)),
    "akima":            (lambda t: interpolate.Akima1DInterpolator(x, y, extrapolate=True)(t), (at,)),
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


def test_plain_interpolants_are_scipys():
    own = interpolate.CubicSpline(x, y)
    assert own(at).tolist() == si.CubicSpline(x, y)(at).tolist()
    assert own.c.shape == (4, 6)


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^CubicSpline has a derivative by values and by where it is evaluated \(test_interp\w+.py:\d+\); keep",
    ):
        autodiff.grad(lambda x: interpolate.CubicSpline(x, y)(1.0))(x)
    with pytest.raises(
        DifferentiationError,
        match=r"^PchipInterpolator has a derivative by where it is evaluated alone \(test_interp\w+.py:\d+\); take",
    ):
        autodiff.grad(lambda y: interpolate.PchipInterpolator(x, y)(1.0))(y)
    with pytest.raises(
        DifferentiationError,
        match=r"^distances of traced vectors have no metric='hamming' \(test_interp\w+.py:\d+\) here; take one of",
    ):
        autodiff.grad(lambda a: np.sum(distance.cdist(a, b, "hamming")))(a)
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.interpolate.griddata cannot be called with a traced value \(test_interp\w+.py:\d+\)",
    ):
        autodiff.grad(lambda y: np.sum(interpolate.griddata(a[:, :2], y, b[:, :2])))(a[:, 0])
