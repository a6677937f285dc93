"""Minima, with gradients and Hessians found by us, differentiated with respect to what the function depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import as_operand, peeled
from autodiff.numpy.namespace import array
from autodiff.ops.elementwise import where
from autodiff.scipy.called_back import Result, known_later, refused_later
from autodiff.scipy.optimize.constrained import conditions, constrained_solution, listed, on_plain
from autodiff.scipy.optimize.found import found_with
from autodiff.scipy.optimize.implicit import (
    all_on_values,
    elementwise_solution,
    nesting,
    on_values,
    plain_vector,
    solution,
)
from autodiff.scipy.optimize.later import solve_later
from autodiff.scipy.optimize.roots import with_args
from autodiff.trace.spec import spec_of
from autodiff.transforms.gradient import grad, value_and_grad
from autodiff.transforms.jacobian import hessian
from autodiff.transforms.jvp import jvp
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]

WITHOUT_GRADIENT = frozenset(("nelder-mead", "powell", "cobyla", "cobyqa"))
WITH_HESSIAN = frozenset(("dogleg", "trust-exact", "trust-constr"))
WITH_PRODUCTS = frozenset(("newton-cg", "trust-ncg", "trust-krylov"))
NEAR_BOUND = 1e-8
NEAR_TIMES = 1e-7
"""The bounded search of one number goes no nearer to itself than some roots of the precision."""


def minimize(
    fun: Function,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    **options: Any,
) -> scipy.optimize.OptimizeResult:
    """A minimum of a function, as SciPy finds it, with our gradient, and our Hessian where a method takes one.

    Args:
        fun: a function of a vector that returns a number, written in NumPy. It may close over traced values.
        x0: where to begin; no derivative goes through it.
        args: further arguments of ``fun``, which may be traced.
        method: SciPy's.
        jac: a function, True, or the name of a difference scheme; by default the gradient is computed.
        hess: a function, or the name of a scheme; by default the Hessian is computed where the method takes one.
        hessp: products of the Hessian with a vector; the same.
        bounds: SciPy's. An element at its bound stays there.
        constraints: SciPy's, of functions that may close over traced values. Those that bind stay bound.
        options: SciPy's.

    Returns:
        SciPy's result. ``x`` is a function of what ``fun`` closes over, since the gradient is zero there, and ``fun``
        has the derivative of the minimum.

    Raises:
        DifferentiationError: where a constraint touches the minimum without binding, or constraints that bind depend on
            each other; and for constraints under jit, vmap and checkpoint.

    >>> import numpy as np, autodiff
    >>> def best(a):
    ...     return minimize(lambda x: np.sum((x - a) ** 2 + x**4), np.zeros(1)).x[0]
    >>> round(autodiff.grad(best)(3.0), 6)
    0.142857
    """
    if bounds is not None and not isinstance(bounds, scipy.optimize.Bounds):
        bounds = list(bounds)  # SciPy and we read them
    objective = with_args(fun, args)
    value: Function = (lambda x: objective(x)[0]) if jac is True else objective
    asked, given = derivatives(value, args, str(method).lower(), jac, hess, hessp)
    asked["fun"] = objective if jac is True or given.get("jac") is not True else value_and_grad(value)

    def find(start: Any, **functions: Function) -> Any:
        return scipy.optimize.minimize(
            x0=start, method=method, bounds=bounds, constraints=plain, **functions, **given, **options
        )

    plain = list(map(on_plain, listed(constraints)))

    start = array(as_operand(x0))
    if known_later(start, lambda: value(plain_vector(start, "minimize"))):
        if plain:
            raise refused_later("minimize", "constraints")
        return minimum_later(find, start, asked, value, bounds, {"success": True, "status": 0, "nfev": 0})
    return at_minimum(
        find(plain_vector(start, "minimize"), **all_on_values(asked, "minimize")), value, bounds, constraints
    )


def derivatives(
    value: Function, args: Any, method: str, jac: Any, hess: Any, hessp: Any
) -> tuple[dict[str, Function], dict[str, Any]]:
    """The derivatives that SciPy is given: functions of the unknown, and what SciPy is told of them."""
    asked: dict[str, Function] = {}
    given: dict[str, Any] = {}
    for name, function in (("jac", jac), ("hess", hess), ("hessp", hessp)):
        if callable(function):
            asked[name] = with_args(function, args)
        elif function is not None:
            given[name] = function
    if jac is None and method not in WITHOUT_GRADIENT:
        given["jac"] = True
    if hess is None and hessp is None and method in WITH_HESSIAN:
        asked["hess"] = hessian(value)
    elif hess is None and not callable(hessp) and method in WITH_PRODUCTS:
        slope = grad(value)
        asked["hessp"] = lambda x, p: jvp(slope, (x,), (p,))[1]
    return asked, given


def minimum_later(
    find: Function,
    start: Any,
    asked: dict[str, Function],
    value: Function,
    bounds: Any,
    facts: dict[str, Any],
) -> Result:
    """SciPy's result where it is found when a program runs."""
    example = np.zeros(spec_of(start).size)
    found = solve_later(
        find,
        start,
        {name: (own, example, example) if name == "hessp" else (own, example) for name, own in asked.items()},
        grad(value),
        example.shape,
        facts=facts,
        free=None if bounds is None else lambda x: free_of(x, bounds),
    )
    found.fun = value(found.x)
    return found


def at_minimum(found: Any, value: Function, bounds: Any = None, constraints: Any = ()) -> Any:
    """SciPy's result as a function of what the objective closes over."""
    bound = [condition.fun(found.x) for condition in conditions(constraints, found.x)]
    if not any(map(nesting, (value(found.x), *bound))):
        return found
    free = free_of(found.x, bounds)
    if bound:
        found.x = constrained_solution(value, constraints, found.x, free)
        found.fun = value(found.x)
        return found_with(found, ("x", "fun"))
    found.x = solution(grad(value), found.x, free)
    found.fun = value(found.x)
    return found_with(found, ("x", "fun") if bounds is not None else ("x", "fun", "jac"))  # which is zero, and stays so


def free_of(x: Any, bounds: Any) -> Any:
    """Which elements lie inside of their bounds; None where there are no bounds."""
    if bounds is None:
        return None
    low, high = limits(bounds)
    scale = NEAR_BOUND * (1 + np.abs(x))
    return (x - low > scale) & (high - x > scale)


def limits(bounds: Any) -> tuple[Any, Any]:
    """Lower and upper bounds, of which there need not be any."""
    if isinstance(bounds, scipy.optimize.Bounds):
        return bounds.lb, bounds.ub
    low, high = np.array([[-np.inf if lo is None else lo, np.inf if hi is None else hi] for lo, hi in bounds]).T
    return low, high


def minimize_scalar(
    fun: Function, bracket: Any = None, bounds: Any = None, args: Any = (), **options: Any
) -> scipy.optimize.OptimizeResult:
    """A minimum of a function of one number, as a function of what it closes over."""
    objective = with_args(fun, args)
    near = xatol_of(options)

    def find(_: Any, fun: Function) -> Any:
        return scipy.optimize.minimize_scalar(fun, bracket=bracket, bounds=bounds, **options)

    middle = float(np.mean(bounds if bounds is not None else bracket if bracket is not None else 0.5))
    if known_later((), lambda: objective(middle)):
        return scalar_minimum_later(find, objective, bounds, near)
    found = find((), on_values(objective, "minimize_scalar"))
    if not nesting(objective(found.x)):
        return found
    slope = grad(objective)
    if bounds is None or inside(found.x, peeled(slope(found.x), "minimize_scalar"), bounds, near):
        found.x = elementwise_solution(slope, found.x)
    found.fun = objective(found.x)
    return found_with(found, ("x", "fun"))


def xatol_of(options: dict[str, Any]) -> float:
    """How far from a bound SciPy's search may stop."""
    given = dict(options.get("options") or {}).get("xatol", options.get("tol"))
    return 1e-5 if given is None else float(given)


def inside(x: Any, slope: Any, bounds: Any, near: float) -> Any:
    """Whether a minimum lies inside of bounds: at a bound, near to which the search stops, the slope points out."""
    low, high = bounds
    near = near + NEAR_TIMES * (1 + abs(x))
    return ((x - low > near) | (slope <= 0)) & ((high - x > near) | (slope >= 0))


def scalar_minimum_later(find: Function, objective: Function, bounds: Any, near: float) -> Result:
    """A minimum of a function of one number where it is found when a program runs."""
    slope = grad(objective)

    def residual(x: Any) -> Any:
        if bounds is None:
            return slope(x)
        value = slope(x)
        free = inside(stop_gradient(x), stop_gradient(value), bounds, near)
        return where(free, value, x - stop_gradient(x))

    found = solve_later(
        find, (), {"fun": (objective, 0.0)}, residual, (), facts={"success": True, "nfev": 0}, elementwise=True
    )
    found.fun = objective(found.x)
    return found
