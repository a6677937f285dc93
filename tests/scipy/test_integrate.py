"""scipy.integrate: all laws of integrals of samples; quadrature and solutions of equations to second order."""

import numpy as np
import pytest
import scipy.integrate as si

import autodiff
from autodiff.scipy import integrate
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError

rng = np.random.default_rng(0)
y = rng.normal(size=(2, 9))
x = np.sort(rng.uniform(0, 3, 9))
even = rng.normal(size=8)
places = np.sort(rng.uniform(0, 3, 8))
OTHER = ("value", "replay", "compiled", "batch")  # SciPy adds plain values in another order

# fmt: off
SAMPLES = {
    "trapezoid":      (lambda y, x: integrate.trapezoid(y, x), (y, x)),
    "trapezoid dx":   (lambda y, dx: integrate.trapezoid(y, dx=dx, axis=0), (y, 0.5)),
    "cumulative":     (lambda y, x: integrate.cumulative_trapezoid(y, x, initial=0), (y, x)),
    "simpson":        (lambda y, x: integrate.simpson(y, x), (y, x)),
    "simpson even":   (lambda y, x: integrate.simpson(y, x), (even, places)),
    "simpson fixed":  (lambda y: integrate.simpson(y, places), (even,)),
    "simpson dx":     (lambda y: integrate.simpson(y, dx=0.3, axis=0), (y.T,)),
    "romb":           (lambda y: integrate.romb(y, 0.1), (y,)),
    "cumulative_simpson": (lambda y: integrate.cumulative_simpson(y, x=x, initial=0.0), (y,)),
    "fixed_quad":     (lambda a, b: integrate.fixed_quad(np.sin, a, b)[0], (0.2, 1.3)),
}


def pendulum(t, y, p):
    return [y[1], -p[0] * np.sin(y[0]) - p[1] * y[1]]


def crossing(t, y, p):
    return y[0]


crossing.terminal = True
fine = {"rtol": 1e-7, "atol": 1e-9}
PROGRAMS = {  # functions of two parameters
    "quad":          lambda p: integrate.quad(lambda x: np.exp(-p[0] * x * x) * np.cos(p[1] * x), 0.0, 2.0)[0],
    "quad args":     lambda p: integrate.quad(lambda x, a, b: np.sin(a * x) / (1 + b * x), 0.0, 1.5, (p[0], p[1]))[0],
    "quad limits":   lambda p: integrate.quad(lambda x: np.exp(-p[1] * x) * x, p[0] / 4, p[0] * p[1] + 1.0)[0],
    "quad infinite": lambda p: integrate.quad(lambda x: np.exp(-p[0] * x) * x ** p[1], 0.0, np.inf)[0],
    "quad left":     lambda p: integrate.quad(lambda x: np.exp(p[0] * x) * np.cos(p[1] * x), -np.inf, 0.0)[0],
    "quad line":     lambda p: integrate.quad(lambda x: np.exp(-p[0] * (x - p[1]) ** 2) * x, -np.inf, np.inf)[0],
    "quad root":     lambda p: integrate.quad(lambda x: p[1] * np.sqrt(x) * np.exp(p[0] * x), 0.0, 1.0)[0],
    "dblquad":       lambda p: integrate.dblquad(lambda y, x: np.exp(-p[0] * x * y), 0.0, p[1], 0.0, lambda x: 1 + x, epsabs=1e-6)[0],
    "solve_ivp":     lambda p: integrate.solve_ivp(lambda t, y: pendulum(t, y, p), (0.0, 1.0), [1.0, 0.0], **fine).y[:, -1],
    "solve_ivp args": lambda p: integrate.solve_ivp(pendulum, (0.0, 1.0), np.stack([p[1], 0.3 * p[0]]), args=(p,), method="DOP853", **fine).y[:, -1],
    "solve_ivp t_eval": lambda p: integrate.solve_ivp(pendulum, (0.0, 1.0), [1.0, 0.0], t_eval=[0.2, 0.7, 1.0], method="DOP853", args=(p,), **fine).y,
    "solve_ivp span": lambda p: integrate.solve_ivp(lambda t, y: [y[1], -np.sin(y[0]) + t], (0.1 * p[0], p[0] + p[1]), [1.0, 0.0], method="DOP853", **fine).y[:, -1],
    "solve_ivp RK23": lambda p: integrate.solve_ivp(pendulum, (0.0, 1.0), [1.0, 0.0], method="RK23", args=(p,), rtol=1e-6, atol=1e-8).y[:, -1],
    "solve_ivp dense": lambda p: integrate.solve_ivp(pendulum, (0.0, 2.0), [1.0, 0.0], args=(p,), dense_output=True, method="DOP853", **fine).sol(np.stack([0.4 * p[0], p[1], 1.3])),
    "solve_ivp event": lambda p: integrate.solve_ivp(pendulum, (0.0, 9.0), [1.0, 0.0], events=crossing, args=(p,), method="DOP853", **fine).t_events[0],
    "solve_ivp backwards": lambda p: integrate.solve_ivp(pendulum, (2.0, 0.5), [1.0, 0.0], args=(p,), **fine).y[:, -1],
    "odeint":        lambda p: integrate.odeint(lambda y, t, p: pendulum(t, y, p), [1.0, 0.0], np.linspace(0, 1, 3), (p,), rtol=1e-8, atol=1e-10),
}
# fmt: on


TWICE = ("quad", "quad limits", "solve_ivp args")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name):
    fun, args = SAMPLES[name]
    check_laws(fun, args, skip=OTHER, name=name)
    np.testing.assert_allclose(autodiff.vjp(fun, *args)[0], fun(*args), rtol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([a, a]) for a in args))
    np.testing.assert_allclose(batched, np.stack([fun(*args)] * 2), rtol=1e-12)


def central(fun, p, step):
    return np.stack([(fun(p + step * e) - fun(p - step * e)) / (2 * step) for e in np.eye(p.size)], -1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_derivatives(name):
    fun, p = PROGRAMS[name], np.array([1.2, 0.9])
    np.testing.assert_allclose(autodiff.vjp(fun, p)[0], fun(p), rtol=1e-13)
    reverse, forward = autodiff.jacrev(fun)(p), autodiff.jacfwd(fun)(p)
    np.testing.assert_allclose(reverse, forward, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(reverse, central(fun, p, 1e-3), rtol=2e-4, atol=2e-5)
    if name in TWICE:
        second = autodiff.jacfwd(autodiff.jacrev(fun))(p)
        np.testing.assert_allclose(second, central(autodiff.jacrev(fun), p, 1e-3), rtol=1e-3, atol=1e-4)


def test_a_fit_of_an_equation():
    t = np.linspace(0, 2, 9)
    data = 3.0 * np.exp(-0.8 * t)

    def loss(p):
        return np.sum(
            (integrate.solve_ivp(lambda t, y: -p[1] * y, (0, 2), p[:1], t_eval=t, rtol=1e-8).y[0] - data) ** 2
        )

    at = np.array([2.0, 0.5])
    a, r = at
    model = a * np.exp(-r * t)
    exact = [np.sum(2 * (model - data) * model / a), np.sum(2 * (model - data) * -t * model)]
    np.testing.assert_allclose(autodiff.grad(loss)(at), exact, rtol=1e-5)


def test_plain_values_are_scipys():
    assert integrate.quad(np.sin, 0.0, 1.0) == si.quad(np.sin, 0.0, 1.0)
    ours, own = (m.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method="LSODA") for m in (integrate, si))
    assert ours.y.tolist() == own.y.tolist()


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^solve_ivp with method='BDF' has derivatives at given times only \(test_integrate.py:\d+\): give t_eval=, and "
        r"neither events= nor dense_output=; or take one of RK23",
    ):
        autodiff.grad(lambda a: integrate.solve_ivp(lambda t, y: -y, (0, a), [1.0], method="BDF").y[0, -1])(1.0)
    with pytest.raises(
        DifferentiationError,
        match=r"^solve_ivp needs t_eval= under jit, vmap and checkpoint \(test_integrate.py:\d+\): how many steps it takes",
    ):
        autodiff.jit(lambda a: integrate.solve_ivp(lambda t, y: -a * y, (0, 1), [1.0]).y[0, -1])(1.0)
    with pytest.raises(
        DifferentiationError, match=r"^solve_ivp with events cannot be called with traced values under jit"
    ):
        autodiff.jit(lambda p: PROGRAMS["solve_ivp event"](p))(np.ones(2))
    with pytest.raises(
        DifferentiationError, match=r"^quad with weight='cos' has no derivative \(test_integrate.py:\d+\); write"
    ):
        autodiff.grad(lambda a: integrate.quad(lambda x: a * x, 0, 1, weight="cos", wvar=2.0)[0])(1.0)
    with pytest.raises(DifferentiationError, match=r"^scipy.integrate.solve_bvp cannot be called with a traced value"):
        autodiff.grad(lambda a: integrate.solve_bvp(None, None, a, None).y)(1.0)


BATCH = np.array([[1.2, 0.9], [1.0, 1.1]])


@pytest.mark.parametrize("name", ["quad limits", "quad line", "solve_ivp t_eval"])
def test_programs_and_batches(name):
    fun, close = PROGRAMS[name], {"rtol": 1e-6, "atol": 1e-6}
    first = autodiff.jacrev(fun)
    np.testing.assert_allclose(autodiff.jit(first)(BATCH[0]), first(BATCH[0]), **close)
    np.testing.assert_allclose(autodiff.vmap(fun)(BATCH), np.stack([fun(p) for p in BATCH]), **close)


def test_second_derivatives_by_limits_under_jit():
    def area(p):
        return integrate.quad(lambda x: p * x * x, 0.0, p)[0]

    np.testing.assert_allclose(autodiff.jit(autodiff.grad(autodiff.grad(area)))(1.5), 4 * 1.5**2, rtol=1e-12)


def test_integrals_of_integrals_under_jit():
    def area(a):
        return integrate.dblquad(lambda y, x: a * y, 0.0, a, 0.0, lambda x: x, epsabs=1e-3)[0]

    np.testing.assert_allclose(autodiff.jit(area)(2.0), 2.0**4 / 6)


@pytest.mark.parametrize("method", ["RK45", "BDF"])
def test_sensitivities_of_decay_at_moving_times(method):
    def at_end(p, staged):
        def values(p):
            times = np.stack([0.5 * p[1], p[1]])
            return integrate.solve_ivp(
                lambda t, y: -p[0] * y * t, (p[2], 2.0), p[3:], method, times, rtol=1e-9, atol=1e-10
            ).y[0]

        return autodiff.jit(values)(p) if staged else values(p)

    def exact(p):
        return p[3] * np.exp(-0.5 * p[0] * (np.stack([0.5 * p[1], p[1]]) ** 2 - p[2] ** 2))

    p = np.array([0.7, 1.5, 0.1, 2.0])
    for staged in (True, False):
        np.testing.assert_allclose(at_end(p, staged), exact(p), rtol=1e-6)
        np.testing.assert_allclose(
            autodiff.jacrev(lambda p, own=staged: at_end(p, own))(p), autodiff.jacrev(exact)(p), rtol=2e-6, atol=1e-8
        )


def test_odeint_by_times_that_move():
    def values(p):
        t = np.stack([p[0], 1.0 + p[1]])
        return integrate.odeint(lambda y, t: -t * y, np.ones(1), t, rtol=1e-9, atol=1e-10)[1, 0]

    def exact(p):
        return np.exp(0.5 * (p[0] ** 2 - (1.0 + p[1]) ** 2))

    p = np.array([0.2, 0.4])
    np.testing.assert_allclose(autodiff.grad(values)(p), autodiff.grad(exact)(p), rtol=1e-6)
    np.testing.assert_allclose(autodiff.jit(autodiff.grad(values))(p), autodiff.grad(exact)(p), rtol=1e-6)


def slope_of(fun, at, h=1e-5):
    """The central difference of a function of one number."""
    return (fun(at + h) - fun(at - h)) / (2 * h)


# fmt: off
TURNED = {  # integrals whose lower limit is above the upper one
    "finite":   lambda w: integrate.quad(lambda x: np.exp(-w * x), 2.0, 0.0)[0],
    "from far": lambda w: integrate.quad(lambda x: np.exp(-w * x), np.inf, 0.0)[0],
    "to far":   lambda w: integrate.quad(lambda x: np.exp(w * x), 0.0, -np.inf)[0],
    "line":     lambda w: integrate.quad(lambda x: np.exp(-w * x * x), np.inf, -np.inf)[0],
    "moving":   lambda w: integrate.quad(lambda x: np.exp(-w * x * x), 2 * w, w)[0],
    "dblquad":  lambda w: integrate.dblquad(lambda y, x: np.exp(-w * x * y), 2.0, 0.0, 0.0, lambda x: 1 + x, epsabs=1e-6)[0],
}
# fmt: on


@pytest.mark.parametrize("name", TURNED)
def test_limits_in_the_other_order(name):
    fun = TURNED[name]
    np.testing.assert_allclose(autodiff.grad(fun)(1.3), slope_of(fun, 1.3), rtol=1e-6)
    np.testing.assert_allclose(autodiff.value_and_grad(fun)(1.3)[0], fun(1.3), rtol=1e-12)
    if name != "dblquad":
        np.testing.assert_allclose(autodiff.jit(autodiff.grad(fun))(1.3), slope_of(fun, 1.3), rtol=1e-6)


def test_complex_integrands():
    assert (
        integrate.quad(lambda x: np.exp(1j * x), 0, 1, complex_func=True)[0]
        == si.quad(lambda x: np.exp(1j * x), 0, 1, complex_func=True)[0]
    )
    with pytest.raises(
        DifferentiationError,
        match=r"^quad with complex_func=True has no derivative \(test_integrate.py:\d+\); integrate",
    ):
        autodiff.grad(lambda w: integrate.quad(lambda x: np.exp(1j * w * x), 0, 1, complex_func=True)[0].real)(1.3)


def reaches(t, y, v):
    return y[0] - 0.3


reaches.terminal = True
SPANS = {"fixed": lambda v: (0.0, 9.0), "begin": lambda v: (0.3 * v, 9.0), "end": lambda v: (0.0, v)}


@pytest.mark.parametrize("name", SPANS)
def test_the_time_at_which_a_solution_ends(name):
    def found(v):
        events = None if name == "end" else reaches
        options = {"args": (v,), "rtol": 1e-9, "atol": 1e-11}
        return integrate.solve_ivp(
            lambda t, y, v: -v * y * (1 + 0.1 * t), SPANS[name](v), [1.0, 2.0], events=events, **options
        )

    for fun in (
        lambda v: found(v).t[-1],
        lambda v: found(v).t[0],
        lambda v: found(v).y[0, -1],
        lambda v: found(v).y[1, -1],
    ):
        np.testing.assert_allclose(autodiff.grad(fun)(1.3), slope_of(fun, 1.3), rtol=1e-6, atol=1e-8)


def test_an_event_that_alone_moves():
    def time(level):
        fine = {"rtol": 1e-9, "atol": 1e-11}
        return integrate.solve_ivp(
            lambda t, y: -y, (0.0, 9.0), [1.0], events=lambda t, y: y[0] - level, **fine
        ).t_events[0][0]

    np.testing.assert_allclose(autodiff.grad(time)(0.4), -1 / 0.4, rtol=1e-6)


def test_wanted_times_beside_ends_that_move():
    def at_first(v):  # exp(-(0.4 - v)) where the first time wanted is where the solution begins
        return integrate.solve_ivp(lambda t, y: -y, (v, 2.0), [1.0], t_eval=[0.4, 1.0, 2.0]).y[0, 0]

    np.testing.assert_allclose(autodiff.grad(at_first)(0.4), 1.0)
    by_times = autodiff.grad(
        lambda t: integrate.solve_ivp(lambda t, y: -y, (0.0, 2.0), [1.0], t_eval=t).t @ np.arange(3.0)
    )
    np.testing.assert_allclose(by_times(np.array([0.4, 1.0, 2.0])), np.arange(3.0))


@pytest.mark.parametrize("method", [si.RK45, si.DOP853, si.LSODA])
def test_methods_given_as_classes(method):
    def end(rate):
        options = {"method": method, "t_eval": [0.5, 1.0], "rtol": 1e-9, "atol": 1e-11}
        return integrate.solve_ivp(lambda t, y: -rate * y, (0.0, 1.0), [1.0], **options).y[0, -1]

    for stage in (lambda fun: fun, autodiff.jit):
        np.testing.assert_allclose(stage(autodiff.grad(end))(1.3), -np.exp(-1.3), rtol=1e-6)


def test_odeint_of_one_number_and_with_many_tolerances():
    times = np.linspace(0.0, 1.0, 4)
    programs = [
        lambda v: integrate.odeint(lambda y, t: -v * y, 2.0, times)[-1, 0],
        lambda v: integrate.odeint(lambda y, t: -v * y, [2.0, 1.0], times, atol=np.array([1e-10, 1e-9]))[-1, 0],
    ]
    for fun in programs:
        for stage in (lambda fun: fun, autodiff.jit):
            np.testing.assert_allclose(stage(fun)(1.3), 2 * np.exp(-1.3), rtol=1e-6)
            np.testing.assert_allclose(stage(autodiff.grad(fun))(1.3), -2 * np.exp(-1.3), rtol=1e-6)


def test_cumulative_simpson_begins_with_an_array():
    samples, first = rng.normal(size=(5, 3)), rng.normal(size=(1, 3))
    fun = autodiff.jit(lambda y: integrate.cumulative_simpson(y, dx=0.3, axis=0, initial=first))
    np.testing.assert_allclose(fun(samples), si.cumulative_simpson(samples, dx=0.3, axis=0, initial=first), rtol=1e-12)
    with pytest.raises(
        DifferentiationError, match=r"^scipy.integrate.cumulative_simpson of traced samples got x of shape \(5, 5\)"
    ):
        autodiff.jit(lambda y: integrate.cumulative_simpson(y, x=np.cumsum(np.ones((5, 5)), 1)))(np.ones((5, 5)))


@pytest.mark.parametrize("count", [5, 6])
def test_simpson_where_places_are_equal(count):
    at, values = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 4.5])[:count], rng.normal(size=count)
    found, _ = autodiff.jvp(lambda x: integrate.simpson(values, x), (at,), (np.ones(count),))
    np.testing.assert_allclose(found, si.simpson(values, at))


@pytest.mark.parametrize("limits", [(0.0, 1.0), (1.0, 0.0)])
def test_integrands_that_are_infinite_at_a_traced_limit(limits):
    def integral(a, b):
        return integrate.quad(lambda x: 1 / np.sqrt(x), a, b)[0]

    with np.errstate(divide="ignore", invalid="ignore"):
        value = autodiff.vjp(integral, *limits)[0]
    assert value == si.quad(lambda x: 1 / np.sqrt(x), *limits)[0]


def test_second_derivatives_by_a_limit():
    def integral(b, w):
        return integrate.quad(lambda x: np.sin(w * x), 0.0, b)[0]

    found = autodiff.hessian(integral, argnums=(0, 1))(1.2, 0.7)
    b, w = 1.2, 0.7
    np.testing.assert_allclose(found[0][0], w * np.cos(w * b), rtol=1e-10)
    np.testing.assert_allclose([found[0][1], found[1][0]], b * np.cos(w * b), rtol=1e-10)


def test_integrals_between_equal_limits_when_the_program_runs():
    """SciPy evaluates nothing there, and gives back no intervals."""

    def inner(a):
        return integrate.dblquad(lambda x, y: 1.0, 0.0, np.pi / 4 * a, np.sin, np.cos)[0]

    np.testing.assert_allclose(
        autodiff.jit(autodiff.grad(inner))(1.0), autodiff.grad(inner)(1.0), rtol=1e-9, atol=1e-12
    )
    between = autodiff.grad(lambda a: integrate.quad(lambda x: x * a, a, 2.0)[0])
    assert autodiff.jit(between)(2.0) == between(2.0) == -4.0
    assert autodiff.jit(autodiff.grad(lambda a: integrate.quad(lambda x: a * x, np.inf, np.inf)[0]))(2.0) == 0.0
