"""Roots of equations, differentiated with respect to what the equations depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import peeled
from autodiff.numpy.namespace import array
from autodiff.scipy.optimize.implicit import elementwise_solution, on_values, solution
from autodiff.transforms.jacobian import jacobian

Function = Callable[..., Any]


def with_args(function: Function, args: Any) -> Function:
    """A function of the unknown alone."""
    extra = args if isinstance(args, tuple) else (args,)
    return lambda x: function(x, *extra)


def root(
    fun: Function, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, **options: Any
) -> scipy.optimize.OptimizeResult:
    """The root of a vector function, as SciPy finds it, with our Jacobian where a method takes one.

    Args:
        fun: as many equations as unknowns, written in NumPy. It may close over traced values.
        x0: where to begin; no derivative goes through it.
        args: further arguments of ``fun``, which may be traced.
        method: SciPy's.
        jac: a function, or True where ``fun`` returns the Jacobian as well; by default it is computed.
        options: SciPy's.

    Returns:
        SciPy's result; ``x`` is a function of what ``fun`` closes over, by the implicit function theorem, to any order.

    >>> import numpy as np, autodiff
    >>> def f(a):
    ...     return root(lambda x: x**3 - a, np.array([1.0])).x[0]
    >>> round(autodiff.grad(f)(8.0), 9)
    0.083333333
    """
    equation = with_args(fun, args)
    if jac is True:
        found = scipy.optimize.root(on_values(equation, "root"), peeled(x0, "root"), method=method, jac=True, **options)
        return with_solution(found, lambda x: equation(x)[0])
    slope = None
    if method in ("hybr", "lm"):
        slope = on_values(jacobian(vector(equation)) if jac is None else with_args(jac, args), "root")
    found = scipy.optimize.root(on_values(equation, "root"), peeled(x0, "root"), method=method, jac=slope, **options)
    return with_solution(found, equation)


def vector(function: Function) -> Function:
    """A function whose result is an array, where it returns a list."""
    return lambda x: array(function(x))


def with_solution(found: Any, equation: Function) -> Any:
    """SciPy's result, with the solution as a function of what the equation closes over."""
    shape = np.shape(found.x)
    flat = vector(lambda x: equation(x.reshape(shape)))
    found.x = solution(lambda x: flat(x).reshape(-1), np.ravel(found.x)).reshape(shape)
    return found


def fsolve(
    func: Function, x0: Any, args: Any = (), fprime: Any = None, full_output: bool = False, **options: Any
) -> Any:
    """The root of a vector function: ``root`` as MINPACK's users call it."""
    equation = vector(with_args(func, args))
    slope = on_values(jacobian(equation) if fprime is None else with_args(fprime, args), "fsolve")
    start = np.atleast_1d(np.asarray(peeled(x0, "fsolve"), float))
    col = options.pop("col_deriv", 0)
    out = scipy.optimize.fsolve(
        on_values(equation, "fsolve"),
        start,
        fprime=slope,
        full_output=full_output,
        col_deriv=0 if fprime is None else col,
        **options,
    )
    shape = start.shape

    def flat(x: Any) -> Any:
        return equation(x.reshape(shape)).reshape(-1)

    if full_output:
        return (solution(flat, np.ravel(out[0])).reshape(shape), *out[1:])
    return solution(flat, np.ravel(out)).reshape(shape)


def root_scalar(f: Function, args: Any = (), **options: Any) -> Any:
    """The root of one equation, by any of SciPy's methods; ``x0`` and brackets are constants.

    >>> import autodiff
    >>> autodiff.grad(lambda a: root_scalar(lambda x: x * x - a, bracket=(0.0, 2.0)).root)(1.0)
    0.5
    """
    equation = with_args(f, args)
    plain = {name: derivative_option(name, value, args) for name, value in options.items()}
    found = scipy.optimize.root_scalar(on_values(equation, "root_scalar"), **plain)
    found.root = elementwise_solution(equation, found.root)
    return found


def derivative_option(name: str, value: Any, args: Any) -> Any:
    """An option of SciPy's, on plain values."""
    if name in ("fprime", "fprime2") and callable(value):
        return on_values(with_args(value, args), "root_scalar")
    return peeled(value, "root_scalar")


def bracketing(name: str) -> Function:
    """One of SciPy's functions that find a root between two numbers."""
    original = getattr(scipy.optimize, name)

    def find(f: Function, a: Any, b: Any, args: Any = (), **options: Any) -> Any:
        equation = with_args(f, args)
        out = original(on_values(equation, name), peeled(a, name), peeled(b, name), **options)
        if options.get("full_output"):
            return elementwise_solution(equation, out[0]), out[1]
        return elementwise_solution(equation, out)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = "The root of one equation between two numbers, as a function of what the equation closes over."
    return find


brentq, brenth, ridder, bisect, toms748 = map(bracketing, ("brentq", "brenth", "ridder", "bisect", "toms748"))


def newton(func: Function, x0: Any, fprime: Any = None, args: Any = (), **options: Any) -> Any:
    """The root near a point, of one equation or of an array of independent ones."""
    equation = with_args(func, args)
    if fprime is not None:
        options["fprime"] = on_values(with_args(fprime, args), "newton")
    if options.get("fprime2") is not None:
        options["fprime2"] = on_values(with_args(options["fprime2"], args), "newton")
    out = scipy.optimize.newton(on_values(equation, "newton"), peeled(x0, "newton"), **options)
    if isinstance(out, tuple):
        return (elementwise_solution(equation, out[0]), *out[1:])
    return elementwise_solution(equation, out)


def fixed_point(func: Function, x0: Any, args: Any = (), **options: Any) -> Any:
    """The point that a function maps to itself."""
    mapping = vector(with_args(func, args))
    start = np.asarray(peeled(x0, "fixed_point"), float)
    found = scipy.optimize.fixed_point(on_values(mapping, "fixed_point"), start, **options)
    shape = np.shape(found)

    def equation(x: Any) -> Any:
        return x - mapping(x.reshape(shape)).reshape(-1)

    return solution(equation, np.ravel(found)).reshape(shape)[()]
