"""Minima, with gradients and Hessians found by us, differentiated with respect to what the function depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import peeled
from autodiff.scipy.optimize.implicit import elementwise_solution, nesting, on_values, solution
from autodiff.scipy.optimize.roots import with_args
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.gradient import grad, value_and_grad
from autodiff.transforms.jacobian import hessian
from autodiff.transforms.jvp import jvp

Function = Callable[..., Any]

WITHOUT_GRADIENT = frozenset(("nelder-mead", "powell", "cobyla", "cobyqa"))
WITH_HESSIAN = frozenset(("dogleg", "trust-exact", "trust-constr"))
WITH_PRODUCTS = frozenset(("newton-cg", "trust-ncg", "trust-krylov"))
NEAR_BOUND = 1e-8


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
        constraints: SciPy's; a solution under constraints has no derivative.
        options: SciPy's.

    Returns:
        SciPy's result. ``x`` is a function of what ``fun`` closes over, since the gradient is zero there, and ``fun``
        has the derivative of the minimum.

    Raises:
        DifferentiationError: for constraints, if ``fun`` depends on traced values.

    >>> import numpy as np, autodiff
    >>> def best(a):
    ...     return minimize(lambda x: np.sum((x - a) ** 2 + x**4), np.zeros(1)).x[0]
    >>> round(autodiff.grad(best)(3.0), 6)
    0.142857
    """
    objective = with_args(fun, args)
    value = (lambda x: objective(x)[0]) if jac is True else objective
    given = derivatives(value, args, str(method).lower(), jac, hess, hessp)
    start = np.asarray(peeled(x0, "minimize"), float)
    called = objective if jac is True or given.get("jac") is not True else value_and_grad(value)
    found = scipy.optimize.minimize(
        on_values(called, "minimize"),
        start,
        method=method,
        bounds=bounds,
        constraints=constraints,
        **given,
        **options,
    )
    return at_minimum(found, value, bounds, constraints)


def derivatives(value: Function, args: Any, method: str, jac: Any, hess: Any, hessp: Any) -> dict[str, Any]:
    """The derivatives that SciPy is given, on plain values."""
    given: dict[str, Any] = {}
    if jac is None and method not in WITHOUT_GRADIENT:
        given["jac"] = True
    elif jac is not None:
        given["jac"] = on_values(with_args(jac, args), "minimize") if callable(jac) else jac
    if callable(hess):
        hess = on_values(with_args(hess, args), "minimize")
    elif hess is None and hessp is None and method in WITH_HESSIAN:
        hess = on_values(hessian(value), "minimize")
    if callable(hessp):
        own, extra = hessp, args if isinstance(args, tuple) else (args,)
        hessp = on_values(lambda x, p: own(x, p, *extra), "minimize")
    elif hess is None and method in WITH_PRODUCTS:
        hessp = on_values(lambda x, p: jvp(grad(value), (x,), (p,))[1], "minimize")
    if hess is not None:
        given["hess"] = hess
    if hessp is not None:
        given["hessp"] = hessp
    return given


def at_minimum(found: Any, value: Function, bounds: Any = None, constraints: Any = ()) -> Any:
    """SciPy's result as a function of what the objective closes over."""
    best = value(found.x)
    if not nesting(best):
        return found
    if constraints:
        raise DifferentiationError(
            f"minimize under constraints has no derivative{at_user_line()}: put them into the objective, or solve the "
            "conditions for a minimum with autodiff.scipy.optimize.root"
        )
    found.x = solution(grad(value), found.x, free_of(found.x, bounds))
    found.fun = value(found.x)
    return found


def free_of(x: Any, bounds: Any) -> Any:
    """Which elements lie inside of their bounds; None where there are no bounds."""
    if bounds is None:
        return None
    if isinstance(bounds, scipy.optimize.Bounds):
        low, high = bounds.lb, bounds.ub
    else:
        low, high = np.array([[-np.inf if lo is None else lo, np.inf if hi is None else hi] for lo, hi in bounds]).T
    scale = NEAR_BOUND * (1 + np.abs(x))
    return (x - low > scale) & (high - x > scale)


def minimize_scalar(
    fun: Function, bracket: Any = None, bounds: Any = None, args: Any = (), **options: Any
) -> scipy.optimize.OptimizeResult:
    """A minimum of a function of one number, as a function of what it closes over."""
    objective = with_args(fun, args)
    found = scipy.optimize.minimize_scalar(
        on_values(objective, "minimize_scalar"), bracket=bracket, bounds=bounds, **options
    )
    if not nesting(objective(found.x)):
        return found
    if bounds is None or free_of(np.array([found.x]), [bounds])[0]:
        found.x = elementwise_solution(grad(objective), found.x)
    found.fun = objective(found.x)
    return found


def globally(name: str) -> Function:
    """One of SciPy's functions that look for a minimum everywhere, by values alone."""
    original = getattr(scipy.optimize, name)

    def find(func: Function, *args: Any, **options: Any) -> Any:
        objective = with_args(func, options.pop("args", ()))
        bounds = args[0] if args and name != "basinhopping" else options.get("bounds")
        found = original(on_values(objective, name), *(peeled(arg, name) for arg in args), **options)
        return at_minimum(found, objective, bounds, options.get("constraints", ()))

    find.__name__ = find.__qualname__ = name
    find.__doc__ = "SciPy's search for a global minimum, which is a function of what the objective closes over."
    return find


basinhopping, differential_evolution, dual_annealing, shgo, direct = map(
    globally, ("basinhopping", "differential_evolution", "dual_annealing", "shgo", "direct")
)
