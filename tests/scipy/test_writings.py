"""A call of a function of SciPy may be written in several ways, and all mean the same."""

import numpy as np
import pytest
import scipy

import autodiff
import autodiff.scipy
from autodiff.scipy import linalg, signal, special, stats
from autodiff.trace.errors import DifferentiationError
from tests.scipy.programs.table import all_programs
from tests.scipy.writings import Call, derivative, fault, faults, slope

x, y = np.outer([0.4, 1.1, 2.3, 0.9], [0.2, 0.5, 0.8]) + np.eye(4, 3), np.cos(np.arange(12.0)).reshape(4, 3) + 2
square, stack = x[:3] + 2 * np.eye(3), np.stack([x[:3], x[:3].T + np.eye(3)])


@pytest.mark.parametrize("module", all_programs())
def test_all_ways_to_write_a_call_mean_the_same(module):
    assert faults(module) == []


# fmt: off
ANEW = {
    "stats.linregress": [((x, y), kw) for kw in [{}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}, {"alternative": "less"}, {"alternative": "greater", "axis": -1}]],
    "stats.hmean": [((x,), {"keepdims": True}), ((x[0, 0][None],), {})],
    "stats.pmean": [((x, 1.7), {"keepdims": True, "axis": 1}), ((x, 0), {"keepdims": True})],
    "stats.lmoment": [((x,), {"keepdims": True, "axis": (0,)})],
    "stats.boxcox_llf": [((0.4, x), {"axis": (0,), "keepdims": True}), ((0.4, x), {"axis": None})],
    "linalg.orthogonal_procrustes": [((stack, y[:3]), {})],
    "linalg.khatri_rao": [((stack, y), {})],
    "linalg.solve_sylvester": [((stack, square, y[:3]), {}), ((square, square, stack), {})],
    "linalg.solve_continuous_lyapunov": [((square, stack), {}), ((stack, square), {})],
    "linalg.solve_circulant": [((y[0], x), {"baxis": 1, "outaxis": -1})],
    "fft.fftn": [((x,), {"axes": 0}), ((x,), {"axes": 1, "s": 5})],
    "signal.istft": [((stack[0] + 0.3j * stack[1],), {"nperseg": 4, "time_axis": 1, "freq_axis": 0})],
    "special.jvp": [(([0.5, 1.5, 2.5], x[0] + 1, 2), {})],
    "interpolate.pchip_interpolate": [((np.arange(4.0), y, np.array([0.3, 2.2])), {"der": -1}), ((np.arange(4.0), y, np.array([0.3, 2.2])), {"der": 1})],
}
# fmt: on


@pytest.mark.parametrize("path", ANEW)
def test_other_calls(path):
    module, _, name = path.rpartition(".")
    for args, kwargs in ANEW[path]:
        call = Call("", args, kwargs, anew=True)
        own = getattr(getattr(autodiff.scipy, module), name)
        derivative(own, call)  # is not refused
        slope(getattr(getattr(scipy, module), name), call)  # and SciPy takes it
        assert fault(module, name, call, None) is None


def test_a_fault_is_seen(monkeypatch):
    monkeypatch.setattr(linalg, "det", lambda a: a[..., 0, 0])
    call = Call("by name", (), {"a": square})
    assert "value" in (fault("linalg", "det", call, derivative(linalg.det, call)) or "")
    monkeypatch.setattr(linalg, "det", lambda x: x[..., 0, 0])
    assert "TypeError" in (fault("linalg", "det", call._replace(anew=True), None) or "")


def test_options_that_there_are_not_are_refused_by_name():
    with pytest.raises(DifferentiationError, match=r"^eigvalsh_tridiagonal of traced values has no tol=0.1 \("):
        autodiff.grad(lambda d: np.sum(linalg.eigvalsh_tridiagonal(d, y[0, :2], tol=0.1)))(y[0])
    with pytest.raises(DifferentiationError, match="freqz of traced values takes one filter"):
        autodiff.vjp(lambda b: signal.freqz(b)[1], x)
    with pytest.raises(TypeError, match="expm"):
        autodiff.vjp(lambda a: linalg.expm(a, a), square)


def test_writings_are_compiled_and_batched_too():
    def f(d, e):
        found = stats.linregress(y=d, x=e, axis=-1)
        return (
            found.slope
            + special.jvp(z=e, v=1)[..., 0]
            + linalg.eigvalsh_tridiagonal(e=e[:-1], d=d, check_finite=False)[0]
        )

    np.testing.assert_allclose(autodiff.jit(f)(x[0], y[0]), f(x[0], y[0]))
    np.testing.assert_allclose(autodiff.vmap(f)(x, y), [f(a, b) for a, b in zip(x, y, strict=True)])


SHAPES = {"gamma": (2.3,), "beta": (1.7, 2.4), "truncnorm": (-1.1, 2.7), "t": (5.5,), "norm": (), "poisson": (3.2,), "geom": (0.3,)}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_supports_and_moments_of_distributions(name):
    theirs, ours = getattr(scipy.stats, name), getattr(stats, name)
    given = [np.array([[shape], [1.1 * shape]]) for shape in SHAPES[name]] + [np.array([1.0, 2.0])]
    given += [np.array(1.5)] if isinstance(theirs, scipy.stats.rv_continuous) else []

    def of(distribution):
        def numbers(*given):
            frozen = distribution(*given)
            each = (*distribution.stats(*given, moments="mvsk"), *frozen.stats(), frozen.stats(moments="k"))
            return [x for x in (*each, *distribution.support(*given), *frozen.support()) if np.all(np.isfinite(x))]

        return numbers

    directions = tuple(np.cos(np.arange(x.size)).reshape(x.shape) for x in given)
    step = [1e-5 * d for d in directions]
    if not isinstance(theirs, scipy.stats.rv_continuous):
        directions, step[-1] = (*directions[:-1], 0.0 * directions[-1]), 0.0
    values, tangents = autodiff.jvp(of(ours), tuple(given), directions)
    expected = of(theirs)(*given)
    after, before = (of(theirs)(*(x + s * d for x, d in zip(given, step, strict=True))) for s in (1, -1))
    assert len(values) == len(expected)
    for value, tangent, own, a, b in zip(values, tangents, expected, after, before, strict=True):
        np.testing.assert_allclose(value, own, rtol=1e-10)
        np.testing.assert_allclose(tangent, (a - b) / 2e-5, rtol=1e-6, atol=1e-7)


def test_quantiles_of_counts_are_constant():
    q, rate = np.array([0.0, 0.2, 0.7, 1.0, 1.2]), np.array([[3.2], [7.0]])

    def f(rate):
        frozen = stats.poisson(rate, loc=2)
        return frozen.ppf(q), frozen.isf(q), frozen.median(), frozen.interval(0.8)[1]

    for found in (autodiff.jvp(f, (rate,), (rate,))[0], autodiff.jit(f)(rate)):
        frozen = scipy.stats.poisson(rate, loc=2)
        expected = frozen.ppf(q), frozen.isf(q), frozen.median(), frozen.interval(0.8)[1]
        for own, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(own, theirs)
    assert not np.any(autodiff.grad(lambda rate: np.sum(f(rate)[2]))(rate))


@pytest.mark.parametrize("q", [1e-5, 0.01, 0.3, 0.99])
def test_a_support_that_moves_is_not_stepped_across(q):
    low, high = -1.1, 2.7
    mass, density = scipy.stats.norm.cdf, scipy.stats.norm.pdf
    x = scipy.stats.truncnorm.ppf(q, low, high)
    by_low = autodiff.grad(lambda low: stats.truncnorm.cdf(x, low, high))(low)
    whole = mass(high) - mass(low)
    np.testing.assert_allclose(by_low, -density(low) * (mass(high) - mass(x)) / whole**2, rtol=1e-6)
    by_low = autodiff.grad(lambda low: stats.truncnorm.ppf(q, low, high))(low)
    np.testing.assert_allclose(by_low, (1 - q) * density(low) / density(x), rtol=1e-6)


@pytest.mark.parametrize("power", [-0.4, 0.0, 0.005, 0.4, 1.4, 3.1])
@pytest.mark.parametrize("p", [0.02, 0.4, 0.6, 0.998])
def test_tukeys_distribution_to_its_ends(p, power):
    def quantile(power):
        return np.log(p / (1 - p)) if power == 0 else (p**power - (1 - p) ** power) / power

    by_x, by_power = autodiff.grad(special.tklmbda, (0, 1))(float(quantile(power)), power)
    density = 1 / (p ** (power - 1) + (1 - p) ** (power - 1))
    np.testing.assert_allclose(by_x, density, rtol=1e-7)
    moves = (quantile(power + 1e-4) - quantile(power - 1e-4)) / 2e-4
    np.testing.assert_allclose(by_power, -moves * density, rtol=1e-5)


def test_tukeys_distribution_is_constant_outside_of_its_support():
    assert autodiff.grad(special.tklmbda, (0, 1))(0.6, 2.0) == (0.0, 0.0)
    slopes = autodiff.grad(special.tklmbda, (0, 1))
    np.testing.assert_allclose(autodiff.jit(slopes)(0.4, 2.0), slopes(0.4, 2.0))
