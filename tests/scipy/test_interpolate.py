"""scipy.interpolate: all laws, values as SciPy's, objects of SciPy's own, refusals."""

import pickle

import numpy as np
import pytest
import scipy.interpolate as si

import autodiff
from autodiff.scipy import interpolate
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError, OperandError
from tests.scipy.rows import FEW_DIGITS

rng = np.random.default_rng(0)
x = np.array([0.1, 0.8, 1.1, 2.0, 2.4, 3.3, 4.0])
y, two = rng.normal(size=7), rng.normal(size=(7, 2))
rising = np.cumsum(rng.uniform(0.2, 1, 7))
at = np.array([[0.5, 1.7], [2.2, 3.9]])
inside = np.array([[0.5, 1.7], [2.2, 2.9]])
periodic = np.append(y[:-1], y[0])
knots = np.array([0.0, 0, 0, 0, 1, 2, 2.5, 4, 4, 4, 4])
grid = np.arange(6.0), np.array([4.0, 3.5, 2.0, 1.5, 0.3, -1.0])
values, places = rng.normal(size=(6, 6, 2)), np.array([[1.3, 0.7], [3.6, 2.7], [2.4, 1.1]])
cube = rng.normal(size=(6, 6, 6)), rng.uniform(1.2, 1.8, (4, 3)) + np.arange(3)
EVERY = ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator")


def of(name, *args, **options):
    return getattr(interpolate, name)(*args, **options)


# fmt: off
PROGRAMS = {
    "places of points": (lambda x, y, t: interpolate.CubicSpline(x, y)(t), (x, y, at)),
    "natural, axis":    (lambda y, t: interpolate.CubicSpline(x, y.T, axis=1, bc_type="natural")(t), (two, at)),
    "given ends":       (lambda x, y, s, t: interpolate.CubicSpline(x, y, bc_type=((1, s), (2, s * s)))(t), (x, y, 0.7, at)),
    "clamped":          (lambda x, y, t: interpolate.CubicSpline(x, y, bc_type=("clamped", "not-a-knot"))(t), (x, y, at)),
    "periodic":         (lambda x, y, t: interpolate.CubicSpline(x, np.concatenate([y, y[:1]]), bc_type="periodic")(t), (x, y[:-1], at + 5)),
    "two points":       (lambda x, y, t: interpolate.CubicSpline(x, y)(t), (x[:2], y[:2], at)),
    "three points":     (lambda x, y, t: interpolate.CubicSpline(x, y)(t), (x[:3], y[:3], at)),
    "three with an end": (lambda x, y, t: interpolate.CubicSpline(x, y, bc_type=("not-a-knot", "natural"))(t), (x[:3], y[:3], at)),
    "slope":            (lambda y, t: interpolate.CubicSpline(x, y)(t, 1), (y, at)),
    "integral":         (lambda x, y, t: interpolate.CubicSpline(x, y).integrate(t[0, 0], t[1, 1]), (x, y, at)),
    "derivative of plain": (lambda t: interpolate.CubicSpline(x, y).derivative().antiderivative(2)(t), (at,)),
    "not beyond":       (lambda y, t: interpolate.CubicSpline(x, y, extrapolate=False)(t), (y, inside)),
    "pchip":            (lambda x, y, t: interpolate.PchipInterpolator(x, y)(t), (x, rising, at)),
    "pchip of two":     (lambda y, t: interpolate.PchipInterpolator(x[:2], y)(t), (y[:2], at)),
    "pchip that turns": (lambda y, t: interpolate.PchipInterpolator(x, y, axis=1)(t), (two.T, at)),
    "akima":            (lambda x, y, t: interpolate.Akima1DInterpolator(x, y, extrapolate=True)(t), (x, y, at)),
    "makima":           (lambda y, t: interpolate.Akima1DInterpolator(x, y, method="makima")(t), (two, inside)),
    "hermite":          (lambda x, y, s, t: interpolate.CubicHermiteSpline(x, y, s)(t), (x, y, rising, at)),
    "PPoly":            (lambda c, x, t: interpolate.PPoly(c, x)(t), (rng.normal(size=(3, 6, 2)), x, at)),
    "BSpline":          (lambda t, c, x: interpolate.BSpline(t, c, 2)(x, 1), (5 * np.arange(10.0), y, 10 * at)),
    "BSpline, axis":    (lambda c, x: interpolate.BSpline(knots, c, 3, axis=1)(x), (two.T, at)),
    "BSpline integral": (lambda c, x: interpolate.BSpline(knots, c, 3).integrate(x[0, 0], x[1, 1]), (y, at)),
    "make_interp_spline": (lambda y, t: interpolate.make_interp_spline(x, y, k=5)(t), (y, at)),
    "linear spline":    (lambda y, t: interpolate.make_interp_spline(x, y, k=1)(t), (two, at)),
    "natural spline":   (lambda y, t: interpolate.make_interp_spline(x, y.T, bc_type="natural", axis=1)(t), (two, at)),
    "spline with ends": (lambda y, s, t: interpolate.make_interp_spline(x, y, bc_type=([(1, s)], [(2, 0.3)]))(t), (y, 0.4, at)),
    "periodic spline":  (lambda y, t: interpolate.make_interp_spline(x, np.concatenate([y, y[:1]]), bc_type="periodic")(t), (y[:-1], inside)),
    "interp1d":         (lambda y, t: interpolate.interp1d(x, y)(t), (y, inside)),
    "interp1d, axis":   (lambda y, t: interpolate.interp1d(x, y, kind="quadratic", axis=0)(t), (two, inside)),
    "interp1d steps":   (lambda y: interpolate.interp1d(x[::-1], y, kind="previous", fill_value="extrapolate")(inside), (y,)),
    "interp1d next":    (lambda y: interpolate.interp1d(x, y, kind="next")(inside), (y,)),
    "interp1d nearest": (lambda y: interpolate.interp1d(x, y, kind="nearest")(inside), (y,)),
    "interp1d held":    (lambda y, t: interpolate.interp1d(x, y, bounds_error=False, fill_value=(-1.0, 2.0))(t), (y, at)),
    "interp1d beyond":  (lambda y, t: interpolate.interp1d(x, y, fill_value="extrapolate")(t), (y, at)),
    "zero":             (lambda y: interpolate.interp1d(x, y, kind="zero")(inside), (y,)),
    "grid":             (lambda v, p: interpolate.RegularGridInterpolator(grid, v)(p), (values, places)),
    "grid of cubes":    (lambda v, p: interpolate.RegularGridInterpolator(grid, v, "cubic", False, None)(p), (values, places[:2])),
    "grid of fifths":   (lambda v, p: interpolate.RegularGridInterpolator(grid, v, "quintic", False, None)(p), (values[..., 0], places[:2])),
    "grid, plain":      (lambda p: interpolate.RegularGridInterpolator(grid, values[..., 0], method="slinear")(p), (places,)),
    "grid, nearest":    (lambda v: interpolate.RegularGridInterpolator(grid, v, method="nearest")(places), (values,)),
    "grid, beyond":     (lambda v, p: interpolate.RegularGridInterpolator(grid, v, bounds_error=False, fill_value=None)(p), (values, places + 3)),
    "grid in space":    (lambda v, p: interpolate.interpn((grid[0],) * 3, v, p), cube),
    "interpn of arrays": (lambda a, b: interpolate.interpn(grid, values, (a, b)), (places[:, 0], places[:, 1])),
    "splev":            (lambda c, t: interpolate.splev(t, (knots, c, 3), ext=3), (y, at + 0.3)),
    "splev of curves":  (lambda c, t: interpolate.splev(t, (knots, [c, c * c], 3), 1)[1], (y, inside)),
    "smoothing spline": (lambda t: interpolate.UnivariateSpline(x, y, s=0.2).derivative()(t), (at,)),
}
# fmt: on
FIRST_ORDER = (
    "grid of fifths",
    "grid in space",
    "interp1d, axis",
    "makima",
    "spline with ends",
    "clamped",
    "integral",
    "natural spline",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    iterated = name in ("grid of cubes", "grid of fifths")  # SciPy solves their equations roughly
    skip = (
        "value",
        "replay",
        "compiled",
        "batch",
        "spec",
        *(("untouched",) if name == "BSpline" else ()),
        *(FEW_DIGITS if iterated else ()),
    )
    check_laws(fun, args, skip=skip, order=1 if name in FIRST_ORDER else 2, name=name)
    value, few = fun(*args), 1e-5 if iterated else 1e-9
    np.testing.assert_allclose(autodiff.vjp(fun, *args)[0], value, rtol=few, atol=1e-12)
    np.testing.assert_allclose(autodiff.jit(fun)(*args), value, rtol=few, atol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([z, z]) for z in args))
    np.testing.assert_allclose(batched[1], value, rtol=few, atol=1e-12)


def test_a_grid_of_cubes_is_splines_of_splines():
    def by_hand(v, p):
        rows = np.stack([interpolate.make_interp_spline(grid[1][::-1], v[k, ::-1])(p[1]) for k in range(6)])
        return interpolate.make_interp_spline(grid[0], rows)(p[0])

    def by_grid(v, p):
        return interpolate.RegularGridInterpolator(grid, v, "cubic")(p)[0]

    args = values[..., 0], places[0]
    for ours, expected in zip(*(autodiff.grad(f, (0, 1))(*args) for f in (by_grid, by_hand)), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_plain_interpolants_are_scipys(name):
    own, theirs = of(name, x, rising), getattr(si, name)(x, rising)
    assert isinstance(own, getattr(si, name))
    assert own(at).tobytes() == theirs(at).tobytes()
    assert pickle.loads(pickle.dumps(own))(at).tobytes() == theirs(at).tobytes()
    np.testing.assert_allclose(autodiff.grad(lambda t: own(t))(2.0), theirs(2.0, 1))


def test_objects_of_scipys_own_are_evaluated_by_rewritten_programs():
    spline, table = si.CubicSpline(x, y), si.RegularGridInterpolator(grid, values[..., 0])

    @autodiff.differentiable
    def f(t):
        return spline(t) + spline.derivative()(t) + spline.integrate(0.5, t) + table([[t, t / 2]])[0]

    expected = (
        spline(2.1, 1)
        + spline(2.1, 2)
        + spline(2.1)
        + (table([[2.1001, 1.05005]]) - table([[2.0999, 1.04995]]))[0] / 2e-4
    )
    np.testing.assert_allclose(autodiff.grad(f)(2.1), expected, rtol=1e-6)
    assert f(2.1) == spline(2.1) + spline.derivative()(2.1) + spline.integrate(0.5, 2.1) + table([[2.1, 1.05]])[0]


def test_a_long_spline_takes_memory_for_its_points_alone():
    places = np.linspace(0, 1, 20_000)
    gradient = autodiff.grad(lambda y: interpolate.CubicSpline(places, y)(0.43217))(np.sin(places))
    np.testing.assert_allclose(gradient @ np.sin(places), np.sin(0.43217), rtol=1e-9)


def test_what_lies_outside_of_a_table():
    linear = interpolate.interp1d(x, y)
    with pytest.raises(
        ValueError, match=r"^a place of interp1d lies outside of \[\S+, \S+\] \(test_interpolate.py:\d+\); fill_value="
    ):
        autodiff.grad(lambda t: linear(t))(100.0)
    assert np.isnan(autodiff.jit(lambda t: linear(t))(100.0))
    with pytest.raises(
        ValueError, match=r"^a place lies outside of the grid \(test_interpolate.py:\d+\); bounds_error=False gives"
    ):
        autodiff.grad(lambda p: np.sum(interpolate.interpn(grid, values, p)))(places + 10)


@pytest.mark.parametrize(("fun", "args", "kind", "words"), [
    (lambda x: interpolate.make_interp_spline(x, y)(1.0), (x,), DifferentiationError, "make_interp_spline has a derivative by values and by"),
    (lambda x: interpolate.interp1d(x, y, kind="quadratic")(1.0), (x,), DifferentiationError, "interp1d with kind='quadratic' has no derivative by the"),
    (lambda y: interpolate.UnivariateSpline(x, y)(1.0), (y,), DifferentiationError, "UnivariateSpline chooses its knots by the values"),
    (lambda y: interpolate.CubicSpline(x, y, bc_type="periodic")(1.0), (y,), OperandError, "a periodic CubicSpline got ends that differ"),
    (lambda y: interpolate.CubicSpline(x, y, bc_type="open")(1.0), (y,), DifferentiationError, "CubicSpline of traced values got bc_type='open'"),
    (lambda y: interpolate.CubicSpline(x[::-1], y)(1.0), (y,), OperandError, "CubicSpline got places that do not increase"),
    (lambda y: interpolate.CubicSpline(x[:3], y)(1.0), (y,), OperandError, r"CubicSpline got places float64\[3\] and values"),
    (lambda y: interpolate.CubicSpline(x, y).roots(), (y,), DifferentiationError, "an interpolant of traced values has no 'roots'"),
    (lambda y: interpolate.CubicSpline(x, y, extrapolate="periodic").integrate(0, 1), (y,), DifferentiationError, "the integral of a periodic"),
    (lambda v: interpolate.RegularGridInterpolator(grid, v, method="pchip")(places), (values,), DifferentiationError, "RegularGridInterpolator of traced values has no method='pchip'"),
    (lambda y: np.sum(interpolate.griddata(values[:, 0], y, at)), (values[:, 0, 0],), DifferentiationError, "scipy.interpolate.griddata cannot be called with a traced"),
])  # fmt: skip
def test_what_has_no_derivative_says_so(fun, args, kind, words):
    with pytest.raises(kind, match=rf"^{words}"):
        autodiff.vjp(fun, *args)


@pytest.mark.parametrize("last", [(1, np.array([0.3, -0.2])), (2, np.array([0.5, 0.1])), "not-a-knot"])
def test_three_points_with_slopes_of_several_values(last):
    places, points = np.array([0.0, 1.0, 2.5]), np.array([[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]])
    ends = ((1, np.array([0.4, 0.6])), last)

    def fun(y):
        return interpolate.CubicSpline(places, y, bc_type=ends)(1.7)

    np.testing.assert_allclose(autodiff.jit(fun)(points), si.CubicSpline(places, points, bc_type=ends)(1.7), rtol=1e-12)
    along = np.array([[0.2, 1.0], [-0.7, 0.4], [0.1, -0.3]])  # a spline is linear in its values
    tangent = autodiff.jvp(fun, (points,), (along,))[1]
    np.testing.assert_allclose(tangent, fun(points + along) - fun(points), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("made", [interpolate.CubicSpline, interpolate.make_interp_spline])
def test_orders_below_zero(made):
    theirs = getattr(si, made.__name__)(x, y)

    def both(y):
        return np.stack([made(x, y).derivative(-1)(at), made(x, y).antiderivative(-1)(at)])

    np.testing.assert_allclose(
        autodiff.jvp(both, (y,), (y,))[0], [theirs.derivative(-1)(at), theirs.antiderivative(-1)(at)]
    )
    np.testing.assert_allclose(autodiff.jvp(both, (y,), (y,))[1], both(y))  # linear in the values
    with pytest.raises(ValueError, match="order of a derivative"):
        autodiff.grad(lambda y: np.sum(made(x, y)(at, -1)))(y)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
@pytest.mark.parametrize("kind", ["linear", "slinear", 1, "cubic", 3, "nearest", "nearest-up", "previous", "next"])
def test_functions_through_points_depend_on_the_places_of_these(kind, order):
    def program(x, y, at):
        return interpolate.interp1d(x[order], y[order], kind=kind)(at)

    expected = si.interp1d(x[order], y[order], kind=kind)(inside)
    np.testing.assert_allclose(autodiff.vjp(program, x, y, inside)[0], expected, rtol=1e-12)
    autodiff.testing.check_grads(program, (x, y, inside), order=2)
    np.testing.assert_allclose(autodiff.jit(program)(x, y, inside), expected, rtol=1e-12)
    several = np.stack([x, 1.01 * x])
    np.testing.assert_allclose(
        autodiff.vmap(lambda x: program(x, y, inside))(several),
        [program(one, y, inside) for one in several],
        rtol=1e-12,
    )


def test_functions_through_points_beyond_the_places_of_these():
    for options in ({"fill_value": "extrapolate"}, {"bounds_error": False, "fill_value": (-1.0, 2.0)}):
        autodiff.testing.check_grads(lambda x: interpolate.interp1d(x, y, **options)(at), (x,), order=1)  # noqa: B023
    with pytest.raises(ValueError, match="lies outside of"):
        autodiff.grad(lambda x: interpolate.interp1d(x, y)(100.0))(x)


@pytest.mark.parametrize("ext", [0, 1, 3, "zeros", "const", "extrapolate"])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_fitted_splines_outside_of_their_knots(ext, order):
    own, plain = (m.UnivariateSpline(x, y, s=0, ext=ext) for m in (interpolate, si))
    outside = np.array([-1.0, 0.7, 3.1, 7.0])
    np.testing.assert_allclose(autodiff.vjp(lambda t: own(t, order), outside)[0], plain(outside, order))
    check_laws(lambda t: own(t, order), (outside,))
    np.testing.assert_allclose(
        autodiff.vjp(lambda t: own(t, order, ext=1), outside)[0], plain(outside, order, ext=1), rtol=1e-12
    )
    if not isinstance(ext, str):
        tck = si.splrep(x, y)
        found = autodiff.vjp(lambda t: interpolate.splev(t, tck, order, ext), outside)[0]
        np.testing.assert_allclose(found, si.splev(outside, tck, order, ext))


def test_all_derivatives_of_a_fitted_spline():
    own, plain = (m.InterpolatedUnivariateSpline(x, y) for m in (interpolate, si))
    np.testing.assert_allclose(autodiff.vjp(own.derivatives, 2.2)[0], plain.derivatives(2.2))
    check_laws(own.derivatives, (2.2,))
    assert interpolate.CubicSpline(x, y).integrate(0.5, 2.0, extrapolate=False) == si.CubicSpline(x, y).integrate(
        0.5, 2.0
    )


METHODS = {
    "UnivariateSpline.set_smoothing_factor": lambda v: interpolate.UnivariateSpline(x, y).set_smoothing_factor(v),
    "CubicSpline.solve": lambda v: interpolate.CubicSpline(x, y).solve(v),
    "BSpline.basis_element": lambda v: interpolate.BSpline.basis_element(v * x[:4]),
    "BSpline.design_matrix": lambda v: interpolate.BSpline.design_matrix(v * x[:4], knots, 3),
    "PPoly.extend": lambda v: interpolate.CubicSpline(x, y).extend(v * np.ones((4, 1)), [5.0]),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_without_a_derivative_refuse_by_name(name):
    """FITPACK would say that some argument cannot be converted."""
    with pytest.raises(
        DifferentiationError, match=rf"^scipy.interpolate.\w+.{name.partition('.')[2]} cannot be called with a traced"
    ):
        autodiff.grad(METHODS[name])(1.0)
