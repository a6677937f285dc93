"""Minima under constraints: derivatives against closed forms and differences, and where there are none."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import autodiff
from autodiff.scipy import optimize
from autodiff.trace.errors import DifferentiationError

start, p = np.zeros(3), np.array([1.3, 0.7, 2.0])
PRECISE = {"gtol": 1e-11, "xtol": 1e-13, "barrier_tol": 1e-12}


def distance(x, p):
    return np.sum((x - p) ** 2)


def nearest(p, **options):
    """The nearest point under constraints."""
    return optimize.minimize(distance, start, (p,), method=options.pop("method", "SLSQP"), tol=1e-14, **options).x


def on_plane(a, p):
    """The nearest point of the plane a x = 1."""
    return p - a * (np.sum(a * p) - 1) / np.sum(a * a)


def on_sphere(r, p):
    """The nearest point of a sphere."""
    return r * p / np.sqrt(np.sum(p * p))


def plane(a):
    return {"type": "eq", "fun": lambda x, b: np.sum(a * x) - b, "args": (1.0,)}


def sphere(r):
    return {"type": "ineq", "fun": lambda x: r**2 - np.sum(x * x)}


# fmt: off
CASES = {
    "equation": (lambda p: nearest(p, constraints=plane(p**2)), lambda p: on_plane(p**2, p)),
    "inequality": (lambda p: nearest(p, constraints=[sphere(p[1])]), lambda p: on_sphere(p[1], p)),
    "one that does not bind": (lambda p: nearest(p, constraints=[sphere(9 * p[1]), plane(p**2)]), lambda p: on_plane(p**2, p)),
    "none that binds": (lambda p: nearest(p, constraints=sphere(9 * p[1])), lambda p: p),
    "constraint alone": (lambda p: optimize.minimize(lambda x: np.sum(x * x), start, method="SLSQP", constraints=plane(p), tol=1e-14).x,
                         lambda p: on_plane(p, np.zeros(3))),
    "at a bound": (lambda p: nearest(p, constraints=plane(np.array([1.0, 1.0, 0.0])), bounds=[(None, None), (None, None), (0, 1)]),
                   lambda p: np.stack([(p[0] - p[1] + 1) / 2, (p[1] - p[0] + 1) / 2, 1.0 + 0 * p[0]])),
    "the minimum": (lambda p: optimize.minimize(distance, start, (p,), method="SLSQP", constraints=plane(p**2), tol=1e-14).fun,
                    lambda p: distance(on_plane(p**2, p), p)),
    "linear": (lambda p: nearest(p, method="trust-constr", constraints=scipy.optimize.LinearConstraint([[1.0, 2.0, 0.5]], -np.inf, 1.0), options=PRECISE),
               lambda p: on_plane(np.array([1.0, 2.0, 0.5]), p)),
    "sparse": (lambda p: nearest(p, constraints=scipy.optimize.LinearConstraint(scipy.sparse.csr_array([[1.0, 2.0, 0.5]]), 1.0, 1.0)),
               lambda p: on_plane(np.array([1.0, 2.0, 0.5]), p)),
    "nonlinear": (lambda p: nearest(p, method="trust-constr", constraints=optimize.NonlinearConstraint(lambda x: p[1] * np.sum(x * x), -np.inf, 1.0),
                                    options=PRECISE),
                  lambda p: on_sphere(p[1] ** -0.5, p)),
    "between": (lambda p: nearest(p, constraints=optimize.NonlinearConstraint(lambda x: np.stack([x[0] - p[1], x[2]]), [1.0, 0.0], [9.0, 1.5])),
                lambda p: np.stack([1 + p[1], p[1], 1.5 + 0 * p[0]])),
}
# fmt: on


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_the_closed_form(name):
    ours, closed = CASES[name]
    weights = np.array([1.0, 0.7, -0.4])

    def total(solve):
        return lambda p: np.sum(solve(p) * weights)

    found, expected = autodiff.value_and_grad(total(ours))(p), autodiff.value_and_grad(total(closed))(p)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-4)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-7, atol=1e-8)
    direction = np.array([0.3, -1.0, 0.5])
    assert autodiff.jvp(total(ours), (p,), (direction,))[1] == pytest.approx(found[1] @ direction, rel=1e-10)
    second = autodiff.jvp(autodiff.grad(total(ours)), (p,), (direction,))[1]
    exact = autodiff.jvp(autodiff.grad(total(closed)), (p,), (direction,))[1]
    np.testing.assert_allclose(second, exact, rtol=1e-8, atol=1e-9)


def test_plain_constraints_are_left_to_scipy():
    own = {"type": "eq", "fun": lambda x: np.array([x[0] - 1.0, x[1]])}  # np.array of a traced value would be refused
    found = optimize.minimize(distance, start, (p,), method="SLSQP", constraints=own)
    np.testing.assert_allclose(found.x, [1.0, 0.0, 2.0], atol=1e-6)
    assert type(found) is scipy.optimize.OptimizeResult


@pytest.mark.parametrize(("constraints", "words"), [
    ([plane(np.ones(3)), plane(np.ones(3))], "the conditions that bind depend on each other"),
    ({"type": "ineq", "fun": lambda x: 1.3 - x[0]}, "a condition touches the minimum without binding"),
])  # fmt: skip
def test_kinks_are_refused(constraints, words):
    with pytest.raises(
        DifferentiationError, match=rf"^minimize found a minimum where {words} \(test_constrained.py:\d+\): "
    ):
        autodiff.grad(
            lambda q: optimize.minimize(distance, p, (q,), method="SLSQP", constraints=constraints, tol=1e-14).x[0]
        )(p)


def test_one_mode_is_refused():
    with pytest.raises(DifferentiationError, match=r"^minimize with constraints cannot be called with traced"):
        autodiff.jit(lambda p: nearest(p, constraints=plane(np.ones(3))))(p)
