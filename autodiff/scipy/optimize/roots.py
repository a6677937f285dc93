"""Roots of equations, differentiated with respect to what the equations depend on."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.numpy.namespace import array
from autodiff.scipy.called_back import Result, known_later, refused_later
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
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.jacobian import jacobian

Function = Callable[..., Any]


def with_args(function: Function, args: Any) -> Function:
    """A function of the unknown alone, or of the unknown and a direction."""
    extra = args if isinstance(args, tuple) else (args,)
    return lambda *x: function(*x, *extra)


def root(
    fun: Function, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, **options: Any
) -> scipy.optimize.OptimizeResult:
    """The root of a vector function: SciPy's solver, with a Jacobian from autodiff if the method takes one.

    Args:
        fun: a function of n unknowns that returns n residuals, written in NumPy. It may close over traced values.
        x0: the start; the derivative with respect to it is zero.
        args: further arguments of ``fun``, which may be traced.
        method: SciPy's.
        jac: a function, or True if ``fun`` also returns the Jacobian; by default autodiff computes it.
        options: SciPy's.

    Returns:
        SciPy's result. Its ``x`` has derivatives of any order with respect to the values that ``fun`` closes over and
        ``args``, by the implicit function theorem.

    >>> import numpy as np, autodiff
    >>> def f(a):
    ...     return root(lambda x: x**3 - a, np.array([1.0])).x[0]
    >>> round(autodiff.grad(f)(8.0), 9)
    0.083333333
    """
    both = with_args(fun, args)
    equation = vector((lambda x: both(x)[0]) if jac is True else both)
    asked = {"fun": both if jac is True else equation}
    if method in ("hybr", "lm") and jac is not True:
        asked["jac"] = jacobian(equation) if jac is None else with_args(jac, args)

    def find(start: Any, **functions: Function) -> Any:
        given = {"jac": True} if jac is True else {}
        return scipy.optimize.root(x0=start, method=method, **functions, **given, **options)

    start = array(as_operand(x0))
    if known_later(start, lambda: equation(plain_vector(start, "root"))):
        shape = (spec_of(start).size,) if method in ("hybr", "lm") else spec_of(start).shape
        return root_later(find, start, asked, equation, shape, {"success": True})
    return with_solution(find(plain_vector(start, "root"), **all_on_values(asked, "root")), equation)


def root_later(
    find: Function,
    start: Any,
    asked: dict[str, Function],
    equation: Function,
    shape: tuple[int, ...],
    facts: dict[str, Any],
) -> Result:
    """SciPy's result where it is found when a program runs."""
    functions = {name: (own, np.zeros(shape)) for name, own in asked.items()}
    flat = (math.prod(shape),)
    found = solve_later(find, start, functions, flattened(equation, shape), flat, facts=facts)
    found.x = found.x.reshape(shape)
    return found


def flattened(equation: Function, shape: tuple[int, ...]) -> Function:
    """A vector function of a vector, from one of arrays."""
    return lambda x: equation(x.reshape(shape)).reshape(-1)


def vector(function: Function) -> Function:
    """A function whose result is an array, where it returns a list."""
    return lambda x: array(function(x))


def with_solution(found: Any, equation: Function) -> Any:
    """SciPy's result, with the solution as a function of what the equation closes over."""
    shape = np.shape(found.x)
    found.x = solution(flattened(equation, shape), np.ravel(found.x)).reshape(shape)
    return found_with(found, ("x", "fun")) if nesting(found.x) else found  # fun is zero, and stays so


def fsolve(
    func: Function, x0: Any, args: Any = (), fprime: Any = None, full_output: bool = False, **options: Any
) -> Any:
    """The root of a vector function: ``root`` as MINPACK's users call it."""
    equation = vector(with_args(func, args))
    asked = {"func": equation, "fprime": jacobian(equation) if fprime is None else with_args(fprime, args)}
    col = options.pop("col_deriv", 0)

    def find(start: Any, **functions: Function) -> Any:
        return scipy.optimize.fsolve(
            x0=start, full_output=full_output, col_deriv=0 if fprime is None else col, **functions, **options
        )

    start = FUNCTIONS[np.atleast_1d](array(as_operand(x0)))
    shape = spec_of(start).shape
    if known_later(start, lambda: equation(plain_vector(start, "fsolve"))):
        if full_output:
            raise refused_later("fsolve", "full_output")
        return root_later(lambda *x, **f: {"x": find(*x, **f)}, start, asked, equation, shape, {}).x
    out = find(plain_vector(start, "fsolve"), **all_on_values(asked, "fsolve"))
    found = solution(flattened(equation, shape), np.ravel(out[0] if full_output else out)).reshape(shape)
    return (found, *out[1:]) if full_output else found


def root_scalar(f: Function, args: Any = (), **options: Any) -> Any:
    """The root of one equation, by any of SciPy's methods; ``x0`` and brackets are constants.

    >>> import autodiff
    >>> autodiff.grad(lambda a: root_scalar(lambda x: x * x - a, bracket=(0.0, 2.0)).root)(1.0)
    0.5
    """
    whole: Function = with_args(f, args)
    several = any(options.get(name) and not callable(options[name]) for name in ("fprime", "fprime2"))
    equation: Function = (lambda x: whole(x)[0]) if several else whole  # True: f returns its derivatives, too
    asked = {"f": whole}
    for name in ("fprime", "fprime2"):
        if callable(options.get(name)):
            asked[name] = with_args(options.pop(name), args)
    places = {name: options.pop(name) for name in ("x0", "x1", "bracket") if options.get(name) is not None}

    def find(places: dict[str, Any], **functions: Function) -> Any:
        return scipy.optimize.root_scalar(**functions, **places, **options)

    if known_later(places, lambda: equation(peeled(flatten(places)[0][0], "root_scalar"))):
        facts = {"converged": True, "iterations": 0, "function_calls": 0}
        return scalar_root_later(find, places, asked, equation, (), "root", facts)
    plain = {name: peeled(value, "root_scalar") for name, value in places.items()}
    found = find(plain, **all_on_values(asked, "root_scalar"))
    found.root = elementwise_solution(equation, found.root)
    return found


def scalar_root_later(
    find: Function,
    places: Any,
    asked: dict[str, Function],
    equation: Function,
    shape: tuple[int, ...],
    attribute: str = "x",
    facts: dict[str, Any] | None = None,
) -> Result:
    """The roots of equations that are independent of each other where they are found when a program runs."""
    functions = {name: (own, np.zeros(shape)[()]) for name, own in asked.items()}
    return solve_later(find, places, functions, equation, shape, attribute=attribute, facts=facts, elementwise=True)


def with_root(out: Any, equation: Function) -> Any:
    """What SciPy returns, with the root, wherever it stands, as a function of what the equation closes over."""
    if not isinstance(out, tuple):
        return elementwise_solution(equation, out)
    root = elementwise_solution(equation, out[0])
    if hasattr(out, "_replace"):  # of an array of equations: named, and without a report
        return out._replace(root=root)
    if hasattr(out[1], "root"):
        out[1].root = root
    return (root, *out[1:])


def bracketing(name: str) -> Function:
    """One of SciPy's functions that find a root between two numbers."""
    original = getattr(scipy.optimize, name)
    others = [*inspect.signature(original).parameters][4:]

    def search(f: Function, a: Any, b: Any, args: Any = (), *rest: Any, **options: Any) -> Any:
        equation = with_args(f, args)
        options = {key: peeled(option, name) for key, option in (*zip(others, rest), *options.items())}

        def find(ends: Any, f: Function) -> Any:
            return original(f, *ends, **options)

        if known_later((a, b), lambda: equation(peeled(a, name))):
            if options.get("full_output"):
                raise refused_later(name, "full_output")
            later = scalar_root_later(lambda ends, f: {"x": find(ends, f)}, (a, b), {"f": equation}, equation, ())
            return later.x
        out = find((peeled(a, name), peeled(b, name)), on_values(equation, name))
        return with_root(out, equation)

    search.__name__ = search.__qualname__ = name
    search.__doc__ = "The root of one equation between two numbers, as a function of what the equation closes over."
    return search


brentq, brenth, ridder, bisect, toms748 = map(bracketing, ("brentq", "brenth", "ridder", "bisect", "toms748"))


def newton(func: Function, x0: Any, fprime: Any = None, args: Any = (), **options: Any) -> Any:
    """The root near a point, of one equation or of an array of independent ones."""
    equation = with_args(func, args)
    asked = {"func": equation}
    for name, slope in (("fprime", fprime), ("fprime2", options.pop("fprime2", None))):
        if slope is not None:
            asked[name] = with_args(slope, args)

    def find(start: Any, **functions: Function) -> Any:
        return scipy.optimize.newton(x0=start, **functions, **options)

    start = as_operand(x0)
    if known_later(start, lambda: equation(peeled(start, "newton"))):
        if options.get("full_output"):
            raise refused_later("newton", "full_output")
        later = scalar_root_later(lambda *x, **f: {"x": find(*x, **f)}, start, asked, equation, spec_of(start).shape)
        return later.x
    out = find(peeled(start, "newton"), **all_on_values(asked, "newton"))
    return with_root(out, equation)


def fixed_point(func: Function, x0: Any, args: Any = (), **options: Any) -> Any:
    """The point that a function maps to itself."""
    mapping = vector(with_args(func, args))
    start = array(as_operand(x0))
    shape = spec_of(start).shape

    def equation(x: Any) -> Any:
        return x - mapping(x)

    def find(start: Any, func: Function) -> Any:
        return scipy.optimize.fixed_point(func, start, **options)

    if known_later(start, lambda: mapping(plain_vector(start, "fixed_point"))):
        later = root_later(lambda *x, **f: {"x": find(*x, **f)}, start, {"func": mapping}, equation, shape, {})
        return later.x
    found = find(plain_vector(start, "fixed_point"), on_values(mapping, "fixed_point"))
    return solution(flattened(equation, shape), np.ravel(found)).reshape(shape)[()]
