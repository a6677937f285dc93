"""Least squares, with Jacobians found by us, differentiated with respect to data and all else that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.scipy.mirror import holds_traced
from autodiff.scipy.optimize.implicit import nesting, on_values, solution
from autodiff.scipy.optimize.minimizing import free_of
from autodiff.scipy.optimize.roots import vector, with_args
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.gradient import grad
from autodiff.transforms.jacobian import jacobian

Function = Callable[..., Any]


def half_squares(residuals: Function) -> Function:
    """Half the sum of squares, whose gradient is zero at the solution."""

    def cost(x: Any) -> Any:
        r = residuals(x)
        return 0.5 * FUNCTIONS[np.sum](r * r) if nesting(r) else 0.5 * np.sum(r * r)

    return cost


def least_squares(
    fun: Function, x0: Any, jac: Any = None, bounds: Any = (-np.inf, np.inf), *, args: Any = (), **options: Any
) -> scipy.optimize.OptimizeResult:
    """The minimum of a sum of squares, as SciPy finds it, with our Jacobian.

    Args:
        fun: residuals, a vector function of a vector, written in NumPy. It may close over traced values.
        x0: where to begin.
        jac: a function or the name of a difference scheme; by default the Jacobian is computed.
        bounds: SciPy's; an element at its bound stays there.
        args: further arguments of ``fun``, which may be traced.
        options: SciPy's.

    Returns:
        SciPy's result; ``x`` and ``cost`` are functions of what ``fun`` closes over.

    Raises:
        DifferentiationError: for a loss that is not the plain square, if ``fun`` depends on traced values.
    """
    kwargs = options.pop("kwargs", {})
    residuals = vector(with_args(lambda x, *extra: fun(x, *extra, **kwargs), args))
    slope = on_values(jacobian(residuals), "least_squares") if jac is None else jac
    if callable(jac):
        slope = on_values(with_args(jac, args), "least_squares")
    found = scipy.optimize.least_squares(
        on_values(residuals, "least_squares"), peeled(x0, "least_squares"), slope, bounds, **options
    )
    if not nesting(residuals(found.x)):
        return found
    if options.get("loss", "linear") != "linear":
        raise DifferentiationError(
            f"least_squares with loss={options['loss']!r} has no derivative{at_user_line()}; minimise that loss with "
            "autodiff.scipy.optimize.minimize"
        )
    cost = half_squares(residuals)
    low, high = bounds if isinstance(bounds, tuple) else (bounds.lb, bounds.ub)
    ends = scipy.optimize.Bounds(np.broadcast_to(low, found.x.shape), np.broadcast_to(high, found.x.shape))
    found.x = solution(grad(cost), found.x, free_of(found.x, ends))
    found.cost = cost(found.x)
    return found


def curve_fit(
    f: Function,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: Any = None,
    bounds: Any = (-np.inf, np.inf),
    method: Any = None,
    jac: Any = None,
    **options: Any,
) -> Any:
    """The parameters of a function that fits data best, and their covariances, as SciPy finds them, with our Jacobian.

    Parameters and covariances are functions of ``xdata``, ``ydata``, ``sigma`` and of what ``f`` closes over.

    >>> import numpy as np, autodiff
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> def slope(y):
    ...     return curve_fit(lambda x, a, b: a + b * x, x, y)[0][1]
    >>> np.round(autodiff.grad(slope)(np.array([1.0, 2.0, 4.0])), 6)
    array([-0.5, -0. ,  0.5])
    """
    x, y, deviations = (as_operand(value) for value in (xdata, ydata, sigma))
    plain_x = peeled(x, "curve_fit")

    def model(p: Any, at: Any) -> Any:
        return f(at, *(p[k] for k in range(p.shape[0])))

    def slope(at: Any, *p: Any) -> Any:
        return peeled(jacobian(lambda p: model(p, at))(np.array(p, float)), "curve_fit")

    given = {"check_finite": check_finite, "method": method, **options}
    out = scipy.optimize.curve_fit(
        counted(f),
        plain_x,
        peeled(y, "curve_fit"),
        p0,
        peeled(deviations, "curve_fit"),
        absolute_sigma,
        bounds=bounds,
        jac=slope if jac is None else jac,
        **given,
    )

    def residuals(p: Any) -> Any:
        r = model(p, x) - y
        return r if deviations is None else scaled(r, deviations)

    if not nesting(residuals(out[0])):
        return out
    low, high = bounds if isinstance(bounds, tuple) else (bounds.lb, bounds.ub)
    ends = scipy.optimize.Bounds(np.broadcast_to(low, out[0].shape), np.broadcast_to(high, out[0].shape))
    best = solution(grad(half_squares(residuals)), out[0], free_of(out[0], ends))
    return (best, covariances(residuals, best, absolute_sigma), *out[2:])


def counted(f: Function) -> Function:
    """The function on plain values; SciPy counts its parameters, unless ``p0`` says how many there are."""
    own = on_values(f, "curve_fit")
    return update_wrapper(own, f) if hasattr(f, "__name__") else own


def scaled(residuals: Any, deviations: Any) -> Any:
    """Residuals in units of their deviations, or whitened by their covariance matrix."""
    if len(deviations.shape) == 1:
        return residuals / deviations
    factor = FUNCTIONS[np.linalg.cholesky](deviations)
    return FUNCTIONS[np.linalg.solve](factor, residuals)


def covariances(residuals: Function, best: Any, absolute: bool) -> Any:
    """The covariance matrix of fitted parameters."""
    slope, r = jacobian(residuals)(best), residuals(best)
    inverse = FUNCTIONS[np.linalg.inv](slope.T @ slope)
    many = r.shape[0] - best.shape[0]
    return inverse if absolute else inverse * (FUNCTIONS[np.sum](r * r) / many)


def nnls(A: Any, b: Any, *args: Any, **options: Any) -> tuple[Any, Any]:
    """The x of nonnegative numbers for which ``|A x - b|`` is smallest, and that norm; numbers that are zero stay."""
    if not holds_traced((A, b)):
        return scipy.optimize.nnls(A, b, *args, **options)  # type: ignore[no-any-return]
    a, right = as_operand(A), as_operand(b)
    found, _ = scipy.optimize.nnls(peeled(a, "nnls"), peeled(right, "nnls"), *args, **options)
    places = np.flatnonzero(found > 0)
    part = a[:, places]
    inner = FUNCTIONS[np.linalg.solve](part.T @ part, part.T @ right) if places.size else np.zeros(0)
    spread = np.zeros((found.size, places.size))
    spread[places, np.arange(places.size)] = 1.0
    x = spread @ inner
    return x, FUNCTIONS[np.linalg.norm](a @ x - right)


def linear_sum_assignment(cost_matrix: Any, maximize: bool = False) -> Any:
    """The cheapest pairs of rows and columns: whole numbers, which have no derivative."""
    return scipy.optimize.linear_sum_assignment(peeled(as_operand(cost_matrix), "linear_sum_assignment"), maximize)
