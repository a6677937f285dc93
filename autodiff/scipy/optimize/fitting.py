"""Least squares, with Jacobians found by us, differentiated with respect to data and all else that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import signature
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.numpy.namespace import array
from autodiff.ops.elementwise import where
from autodiff.scipy.called_back import Result, call_back, known_later, refused_later
from autodiff.scipy.mirror import holds_traced
from autodiff.scipy.optimize.found import found_with
from autodiff.scipy.optimize.implicit import all_on_values, nesting, on_values, plain_vector, solution
from autodiff.scipy.optimize.later import solve_later
from autodiff.scipy.optimize.minimizing import free_of
from autodiff.scipy.optimize.roots import vector, with_args
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
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
    asked = {"fun": residuals}
    if jac is None or callable(jac):
        asked["jac"] = jacobian(residuals) if jac is None else with_args(jac, args)
    else:
        options["jac"] = jac

    def find(start: Any, **functions: Function) -> Any:
        return scipy.optimize.least_squares(x0=start, bounds=bounds, **functions, **options)

    start = FUNCTIONS[np.atleast_1d](array(as_operand(x0)))
    later = known_later(start, lambda: residuals(plain_vector(start, "least_squares")))
    if later:
        found = best_later(find, start, asked, residuals, bounds, {"success": True, "status": 0, "nfev": 0})
    else:
        found = find(plain_vector(start, "least_squares"), **all_on_values(asked, "least_squares"))
    if not later and not nesting(residuals(found.x)):
        return found
    if options.get("loss", "linear") != "linear":
        raise DifferentiationError(
            f"least_squares with loss={options['loss']!r} has no derivative{at_user_line()}; minimise that loss with "
            "autodiff.scipy.optimize.minimize"
        )
    cost = half_squares(residuals)
    if not later:
        found.x = solution(grad(cost), found.x, free_of(found.x, ends_of(bounds, found.x.shape)))
    found.cost, found.fun, found.jac = cost(found.x), residuals(found.x), jacobian(residuals)(found.x)
    if later:
        return found
    found.grad = FUNCTIONS[np.transpose](found.jac) @ found.fun
    return found_with(found, ("x", "cost", "fun", "jac", "grad"))


def ends_of(bounds: Any, shape: tuple[int, ...]) -> scipy.optimize.Bounds:
    """Bounds of all elements."""
    low, high = (bounds.lb, bounds.ub) if isinstance(bounds, scipy.optimize.Bounds) else bounds
    return scipy.optimize.Bounds(np.broadcast_to(low, shape), np.broadcast_to(high, shape))


def best_later(
    find: Function, start: Any, asked: dict[str, Function], residuals: Function, bounds: Any, facts: dict[str, Any]
) -> Result:
    """The best parameters where they are found when a program runs."""
    shape = spec_of(start).shape
    ends = ends_of(bounds, shape)
    functions = {name: (own, np.zeros(shape)) for name, own in asked.items()}
    slope = grad(half_squares(residuals))
    return solve_later(find, start, functions, slope, shape, facts=facts, free=lambda x: free_of(x, ends))


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
    if deviations is not None and spec_of(deviations).size == 1:  # SciPy takes one number, but not with a Jacobian
        deviations = FUNCTIONS[np.broadcast_to](deviations, spec_of(y).shape)
    data = (x, y, deviations)

    def model(p: Any, at: Any) -> Any:
        return f(at, *(p[k] for k in range(p.shape[0])))

    def slope(at: Any, *p: Any) -> Any:
        return peeled(jacobian(lambda p: model(p, at))(np.array(p, float)), "curve_fit")

    def residuals(p: Any) -> Any:
        r = model(p, x) - y
        return r if deviations is None else scaled(r, deviations)

    given = {"check_finite": check_finite, "method": method, "bounds": bounds, **options}
    if known_later(
        (data, p0), lambda: residuals(np.ones(count_of(f)) if p0 is None else plain_vector(p0, "curve_fit"))
    ):
        for name in {"full_output", "nan_policy"} & set(options):
            raise refused_later("curve_fit", name)
        best = fit_later(f, data, p0, residuals, (absolute_sigma, jac, given))
        return best, covariances(residuals, best, absolute_sigma)
    plain_x, plain_y, plain_deviations = (peeled(value, "curve_fit") for value in data)
    out = scipy.optimize.curve_fit(
        counted(f),
        plain_x,
        plain_y,
        peeled(p0, "curve_fit"),
        plain_deviations,
        absolute_sigma,
        jac=slope if jac is None else jac,
        **given,
    )
    if not nesting(residuals(out[0])):
        return out
    best = solution(grad(half_squares(residuals)), out[0], free_of(out[0], ends_of(bounds, out[0].shape)))
    return (best, covariances(residuals, best, absolute_sigma), *out[2:])


def fit_later(f: Function, data: Any, p0: Any, residuals: Function, given: tuple[bool, Any, dict[str, Any]]) -> Any:
    """The best parameters of a function where they are found when a program runs."""
    absolute, slope, options = given
    count = count_of(f) if p0 is None else spec_of(as_operand(p0)).size

    def at_data(function: Function) -> Function:
        return lambda p: function(data[0], *(p[k] for k in range(count)))

    def find(start: Any, f_of_p: Function, jac: Function) -> Any:
        (x, y, deviations), p0 = start
        model = update_wrapper(lambda _, *p: f_of_p(np.array(p)), f)  # SciPy counts the parameters of what is wrapped
        rates = lambda _, *p: jac(np.array(p))  # noqa: E731
        return {"x": scipy.optimize.curve_fit(model, x, y, p0, deviations, absolute, jac=rates, **options)[0]}

    example = np.zeros(count)
    asked = {"f_of_p": at_data(f), "jac": at_data(slope) if callable(slope) else jacobian(at_data(f))}
    functions = {name: (own, example) for name, own in asked.items()}
    ends = ends_of(options["bounds"], example.shape)
    cost = grad(half_squares(residuals))
    return solve_later(find, (data, p0), functions, cost, (count,), free=lambda x: free_of(x, ends)).x


def count_of(f: Function) -> int:
    """How many parameters a function of data and parameters has."""
    return len(signature(f).parameters) - 1


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
    if many <= 0 and not absolute:  # nothing is left to tell the deviations by: SciPy's infinite covariances
        return np.full((best.shape[0],) * 2, np.inf)
    return inverse if absolute else inverse * (FUNCTIONS[np.sum](r * r) / many)


def nnls(A: Any, b: Any, *args: Any, **options: Any) -> tuple[Any, Any]:
    """The x of nonnegative numbers for which ``|A x - b|`` is smallest, and that norm; numbers that are zero stay."""
    if not holds_traced((A, b)):
        return scipy.optimize.nnls(A, b, *args, **options)  # type: ignore[no-any-return]
    a, right = as_operand(A), as_operand(b)
    many = spec_of(a).shape[1]

    def find(operands: Any) -> Any:
        return scipy.optimize.nnls(*operands, *args, **options)[0]

    if known_later((a, right), lambda: ()):
        found = call_back(find, np.zeros(many), (a, right), {}, {})
    else:
        found = find((peeled(a, "nnls"), peeled(right, "nnls")))
    kept = found > 0
    both = kept[:, None] & kept  # where an element is zero its equation says so
    normal = where(both, a.T @ a, np.eye(many))
    x = FUNCTIONS[np.linalg.solve](normal, where(kept, a.T @ right, 0.0))
    return x, FUNCTIONS[np.linalg.norm](a @ x - right)


def linear_sum_assignment(cost_matrix: Any, maximize: bool = False) -> Any:
    """The cheapest pairs of rows and columns: whole numbers, which have no derivative."""
    cost = as_operand(cost_matrix)
    if known_later(cost, lambda: ()):
        pairs = (np.zeros(min(spec_of(cost).shape), np.intp),) * 2
        return call_back(lambda cost: scipy.optimize.linear_sum_assignment(cost, maximize), pairs, cost, {}, {})
    return scipy.optimize.linear_sum_assignment(peeled(cost, "linear_sum_assignment"), maximize)
