"""scipy.optimize: derivatives that SciPy is given, and derivatives of solutions, to second order."""

import numpy as np
import pytest
import scipy.optimize as so

import autodiff
from autodiff.scipy import optimize
from autodiff.trace.errors import ConcretizationError, DifferentiationError

rng = np.random.default_rng(0)
A = rng.normal(size=(6, 3))
b = rng.normal(size=6)
t = np.linspace(0.0, 2.0, 12)
y = 1.5 * np.exp(-0.7 * t) + 0.05 * rng.normal(size=12)
start = np.array([1.0, 1.0])


def system(x, p):
    return np.stack([x[0] ** 2 + p[0] * x[1] - 2.0, x[0] * x[1] ** 2 - p[1]])


def bowl(x, p):
    return (x[0] - p[0]) ** 2 + p[1] * (x[1] - x[0] ** 2) ** 2 + np.exp(0.1 * x[1])


# fmt: off
tight = {"xtol": 1e-14, "rtol": 1e-14}
PROGRAMS = {  # functions of a vector of two parameters
    "root":            lambda p: optimize.root(system, start, (p,), tol=1e-13).x,
    "root closed over": lambda p: optimize.root(lambda x: system(x, p), start, tol=1e-13).x,
    "root lm":         lambda p: optimize.root(system, start, (p,), method="lm", tol=1e-13).x,
    "root list":       lambda p: optimize.root(lambda x: [x[0] - p[0], x[1] * p[1] - 1.0], start).x,
    "fsolve":          lambda p: optimize.fsolve(system, start, (p,), xtol=1e-13),
    "root_scalar":     lambda p: optimize.root_scalar(lambda x: x**3 + p[0] * x - p[1], bracket=(-5.0, 5.0), **tight).root,
    "root_scalar newton": lambda p: optimize.root_scalar(lambda x, q: x**3 + q[0] * x - q[1], (p,), x0=1.0, fprime=lambda x, q: 3 * x * x + q[0]).root,
    "brentq":          lambda p: optimize.brentq(lambda x: np.tanh(x) - p[0] / 4 - 0.1 * p[1], -3.0, 3.0, **tight),
    "ridder":          lambda p: optimize.ridder(lambda x: x**3 - p[0], 0.1, 3.0, **tight),
    "bisect":          lambda p: optimize.bisect(lambda x: x**3 - p[0], 0.1, 3.0, **tight),
    "toms748":         lambda p: optimize.toms748(lambda x: x**3 - p[0], 0.1, 3.0, **tight),
    "newton":          lambda p: optimize.newton(lambda x: x**2 - p, np.array([1.0, 1.0]), maxiter=100, tol=1e-14),
    "fixed_point":     lambda p: optimize.fixed_point(lambda x: np.cos(x) * p[0] / 2, 0.5, xtol=1e-13),
    "minimize":        lambda p: optimize.minimize(bowl, start, (p,), tol=1e-11).x,
    "minimum":         lambda p: optimize.minimize(bowl, start, (p,), tol=1e-11).fun,
    "minimize exact":  lambda p: optimize.minimize(bowl, start, (p,), method="trust-exact", tol=1e-11).x,
    "minimize ncg":    lambda p: optimize.minimize(bowl, start, (p,), method="trust-ncg", tol=1e-11).x,
    "minimize simplex": lambda p: optimize.minimize(bowl, start, (p,), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-15}).x,
    "minimize bounds": lambda p: optimize.minimize(bowl, start, (p,), bounds=[(None, 0.8), (None, None)], tol=1e-13).x,
    "minimize_scalar": lambda p: optimize.minimize_scalar(lambda x: (x - p[0]) ** 2 + p[1] * x**4, tol=1e-12).x,
    "basinhopping":    lambda p: optimize.basinhopping(lambda x: bowl(x, p), start, niter=1, rng=0).x,
    "least_squares":   lambda p: optimize.least_squares(lambda x: A @ np.stack([x[0], x[1], p[0] * x[0] * x[1]]) - b * p[1], start, xtol=1e-14, gtol=1e-14, ftol=1e-14).x,
    "nnls":            lambda p: optimize.nnls(A * p[0], b * p[1])[0],
}
LOOSE = {"minimize simplex": "minimize", "basinhopping": "minimize"}
"""Methods whose solutions are too loose for differences: their derivatives are those of another method."""
# fmt: on


def central(fun, p, step):
    return np.stack([(fun(p + step * e) - fun(p - step * e)) / (2 * step) for e in np.eye(p.size)], -1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_derivatives(name):
    fun, p = PROGRAMS[name], np.array([1.2, 0.9])
    reverse, forward = autodiff.jacrev(fun)(p), autodiff.jacfwd(fun)(p)
    np.testing.assert_allclose(reverse, forward, rtol=1e-9, atol=1e-12)
    if name in LOOSE:
        np.testing.assert_allclose(reverse, autodiff.jacrev(PROGRAMS[LOOSE[name]])(p), rtol=1e-5, atol=1e-5)
        return
    np.testing.assert_allclose(reverse, central(fun, p, 1e-4), rtol=2e-5, atol=2e-5)
    second = autodiff.jacfwd(autodiff.jacrev(fun))(p)
    np.testing.assert_allclose(second, central(autodiff.jacrev(fun), p, 1e-4), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(autodiff.jacrev(autodiff.jacrev(fun))(p), second, rtol=1e-6, atol=1e-9)


BATCH = np.array([[1.2, 0.9], [1.0, 1.1]])
ALIKE = {"root closed over", "root list", "minimize exact", "minimum", "ridder", "toms748", "bisect", *LOOSE}
"""Programs that run as others do under jit and vmap."""


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ALIKE])
def test_programs_and_batches(name):
    fun, p = PROGRAMS[name], BATCH[0]
    first = autodiff.jacrev(fun)
    np.testing.assert_allclose(autodiff.jit(first)(p), first(p), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(autodiff.vmap(fun)(BATCH), np.stack([fun(p) for p in BATCH]), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", ["root_scalar newton", "minimize_scalar", "root list"])
def test_programs_and_batches_of_second_derivatives(name):
    fun = PROGRAMS[name]
    second = autodiff.jacfwd(autodiff.jacrev(fun))
    expected = np.stack([second(p) for p in BATCH])
    np.testing.assert_allclose(autodiff.jacfwd(autodiff.jit(autodiff.jacrev(fun)))(BATCH[0]), expected[0], rtol=1e-6)
    np.testing.assert_allclose(autodiff.vmap(second)(BATCH), expected, rtol=1e-6, atol=1e-9)


def test_third_derivatives_of_what_is_found_when_a_program_runs():
    def cube_root(a):
        return optimize.brentq(lambda x: x**3 - a, 0.1, 3.0, xtol=1e-14)

    third = autodiff.grad(autodiff.grad(autodiff.grad(autodiff.jit(cube_root))))
    np.testing.assert_allclose(third(2.0), 10 / 27 * 2 ** (-8 / 3), rtol=1e-9)


def test_what_decides_by_values_runs_under_jit_where_nothing_is_traced():
    def f(a):
        return a * optimize.brentq(lambda x: x - 1.0 if x > 0 else x + 2.0, 0.1, 3.0)

    assert autodiff.jit(f)(2.0) == f(2.0)


def test_curve_fit():
    def model(x, a, rate):
        return a * np.exp(-rate * x)

    def fit(y, sigma):
        return optimize.curve_fit(model, t, y, p0=[1.0, 1.0], sigma=sigma, ftol=1e-15, xtol=1e-15, gtol=1e-15)

    sigma = np.linspace(0.5, 1.0, 12)
    best, covariance = so.curve_fit(model, t, y, [1.0, 1.0], sigma)
    np.testing.assert_allclose(fit(y, sigma)[0], best, rtol=1e-6)
    for k in (0, 1):
        found = autodiff.jacrev(lambda y, s, k=k: fit(y, s)[k], (0, 1))(y, sigma)
        np.testing.assert_allclose(found[0], central(lambda y, k=k: fit(y, sigma)[k], y, 1e-4), rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(found[1], central(lambda s, k=k: fit(y, s)[k], sigma, 1e-4), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(autodiff.vjp(lambda y: fit(y, sigma)[1], y)[0], covariance, rtol=1e-5)
    slope = autodiff.jacrev(lambda y: fit(y, sigma)[0])
    np.testing.assert_allclose(autodiff.jit(slope)(y), slope(y), rtol=1e-7, atol=1e-9)
    several = np.stack([y, y + 0.01])
    np.testing.assert_allclose(
        autodiff.vmap(lambda y: fit(y, sigma)[1])(several), [fit(one, sigma)[1] for one in several], rtol=1e-7
    )


def test_scipy_gets_our_derivatives():
    calls = []

    def rosenbrock(x):
        calls.append(1)
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    ours = optimize.minimize(rosenbrock, np.zeros(10))
    many = len(calls)
    calls.clear()
    plain = so.minimize(rosenbrock, np.zeros(10))
    np.testing.assert_allclose(ours.x, 1, atol=1e-5)
    assert type(ours.x) is np.ndarray
    assert many * 4 < len(calls)
    assert ours.nfev * 4 < plain.nfev


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^least_squares with loss='huber' has no derivative \(test_optimize.py:\d+\); minimise",
    ):
        autodiff.grad(lambda a: optimize.least_squares(lambda x: x - a, start, loss="huber").x[0])(1.0)
    with pytest.raises(
        DifferentiationError,
        match=r"^at the solution of linprog 3 conditions hold as equations for 2 unknowns \(test_optimize.py:\d+\): it",
    ):
        autodiff.grad(lambda c: optimize.linprog(-c, [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]], [2.0, 3.0, 3.0]).fun)(start)
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.optimize.golden cannot be called with a traced value \(test_optimize.py:\d+\): the",
    ):
        autodiff.grad(lambda a: optimize.golden(lambda x: (x - a) ** 2))(1.0)
    with pytest.raises(
        DifferentiationError,
        match=r"^newton with full_output cannot be called with traced values under jit, vmap and checkpoint \(test_opt",
    ):
        autodiff.jit(lambda a: optimize.newton(lambda x: x**2 - a, 1.0, full_output=True)[0])(2.0)
    with pytest.raises(
        AttributeError,
        match=r"^under jit, vmap and checkpoint a result of SciPy's has no 'message' \(test_optimize.py:\d+\), only 'success', 'x': ",
    ):
        autodiff.jit(lambda a: optimize.root(lambda x: x - a, start).message)(2.0)
    with pytest.raises(ConcretizationError, match=r"function that SciPy calls traces with shapes only"):
        autodiff.jit(lambda a: optimize.brentq(lambda x: x - a if x > 0 else x + a, 0.1, 3.0))(2.0)


def test_what_is_made_on_the_way_is_no_function_of_the_solution():
    def found(a):
        return optimize.minimize(lambda x: np.sum((x - a) ** 2 + x**4), start, method="BFGS")

    with pytest.raises(
        DifferentiationError,
        match=r"^the result's 'hess_inv' is made on the way to the solution, and has no derivative \(test_opt",
    ):
        autodiff.grad(lambda a: found(a).hess_inv[0, 0])(1.0)
    assert (
        autodiff.grad(lambda a: found(a).fun * found(a)["hess_inv"][0, 0] + np.sum(found(a).jac) * found(a).nit)(1.0)
        != 0
    )
    with pytest.raises(DifferentiationError, match=r"^the result's 'fjac' is made on the way to the solution"):
        autodiff.grad(lambda a: optimize.root(lambda x: x - a, start).fjac[0, 0])(2.0)


def test_linear_programs():
    rows, right, costs = np.array([[1.0, 0.7], [0.4, 1.2]]), np.array([4.0, 3.0]), np.array([-2.0, -1.5])

    def f(c, a, b, e):
        found = optimize.linprog(c, a, b, A_eq=[[1.0, 1.0, -1.0]], b_eq=e, bounds=[(0, 9), (0.5, None), (0, None)])
        return found.fun + found.x[0] * found.x[2] + np.sum(found.slack * np.array([0.3, 0.2]))

    wide = np.c_[rows, np.zeros(2)], np.append(costs, 0.1)
    args = wide[1], wide[0], right, np.array([0.4])
    gradient = autodiff.grad(f, (0, 1, 2, 3))(*args)
    for place, found in enumerate(gradient):
        for at in np.ndindex(found.shape):
            after, before = (list(map(np.copy, args)) for _ in range(2))
            after[place][at] += 1e-5
            before[place][at] -= 1e-5
            assert found[at] == pytest.approx((f(*after) - f(*before)) / 2e-5, rel=1e-6, abs=1e-8)
    with pytest.raises(
        DifferentiationError, match=r"^linprog with a corner whose conditions depend on values cannot be called"
    ):
        autodiff.jit(lambda c: optimize.linprog(c, rows, right).fun)(costs)


def test_assignment_is_constant():
    def cost(c):
        rows, columns = optimize.linear_sum_assignment(c)
        return np.sum(c[rows, columns])

    c = np.array([[4.0, 1.0], [2.0, 3.0]])
    assert autodiff.grad(cost)(c).tolist() == autodiff.jit(autodiff.grad(cost))(c).tolist() == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("near", [None, 1e-3])
def test_a_minimum_at_a_bound_of_one_number_stays(near):
    options = None if near is None else {"xatol": near}

    def best(a, low, high):
        return optimize.minimize_scalar(lambda x: (x - a) ** 2, bounds=(low, high), options=options).x

    for low, high, exact in ((1.0, 2.0, 0.0), (-1.0, 0.2, 0.0), (0.0, 2.0, 1.0)):
        slope = autodiff.grad(lambda a, low=low, high=high: best(a, low, high))
        np.testing.assert_allclose((slope(0.5), autodiff.jit(slope)(0.5)), exact, atol=1e-12)


# fmt: off
REPORTS = {  # cube roots, as reports have them, and of functions that return their derivatives
    "brentq":  lambda a: optimize.brentq(lambda x: x**3 - a, 0.0, 5.0, full_output=True)[1].root,
    "newton":  lambda a: optimize.newton(lambda x: x**3 - a, 1.0, full_output=True)[1].root,
    "newton of arrays": lambda a: optimize.newton(lambda x: x**3 - a, np.ones(2), full_output=True).root[1],
    "fprime":  lambda a: optimize.root_scalar(lambda x: (x**3 - a, 3 * x * x), x0=1.0, fprime=True).root,
    "fprime2": lambda a: optimize.root_scalar(lambda x: (x**3 - a, 3 * x * x, 6 * x), x0=1.0, fprime=True, fprime2=True, method="halley").root,
}
# fmt: on


@pytest.mark.parametrize("name", REPORTS)
def test_roots_in_reports_and_of_functions_with_derivatives(name):
    exact = 1.3 ** (-2 / 3) / 3
    np.testing.assert_allclose(autodiff.grad(REPORTS[name])(1.3), exact, rtol=1e-6)
    if name.startswith("fprime"):
        np.testing.assert_allclose(autodiff.jit(autodiff.grad(REPORTS[name]))(1.3), exact, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::scipy.optimize.OptimizeWarning")
def test_curve_fit_with_one_deviation_and_without_freedom():
    x, y = np.arange(4.0), np.array([1.0, 2.2, 3.9, 6.1])

    def fit(y, **options):
        return optimize.curve_fit(lambda x, a, b: a + b * x, x[: len(y)], y, **options)

    def own(y, **options):
        return so.curve_fit(lambda x, a, b: a + b * x, x[: len(y)], y, **options)

    for stage in (lambda fun: fun, autodiff.jit):
        best, covariance = stage(lambda y: fit(y, sigma=0.3, absolute_sigma=True))(y)
        np.testing.assert_allclose(best, own(y)[0], rtol=1e-6)
        np.testing.assert_allclose(covariance, own(y, sigma=np.full(4, 0.3), absolute_sigma=True)[1], rtol=1e-6)
        slope = stage(autodiff.grad(lambda y: fit(y, sigma=0.3)[0][1]))(y)
        np.testing.assert_allclose(slope, [-0.3, -0.1, 0.1, 0.3], atol=1e-7)
        no_freedom = stage(lambda y: fit(y)[1])(y[:2])
        np.testing.assert_array_equal(no_freedom, np.full((2, 2), np.inf))


def test_bounds_in_lists_and_iterators():
    for stage in (lambda fun: fun, autodiff.jit):
        fit = stage(autodiff.grad(lambda a: optimize.least_squares(lambda x: x - a, [1.0], bounds=[0, 10]).x[0]))
        assert fit(3.0) == pytest.approx(1.0)

        def best(a):
            return optimize.minimize(
                lambda x: np.sum((x - a) ** 2), start, bounds=zip([0, 0], [2, 10], strict=True)
            ).x.sum()

        assert stage(autodiff.grad(best))(3.0) == pytest.approx(1.0)
