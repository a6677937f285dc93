"""What must come of a program in which an object that is none of ours meets traced values.

It is run as plain NumPy first: what a transformation gives must be that value, and its derivative by differences. Or it
must raise an error that names the user's line.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tests.trace.foreign.arguments import ARGUMENTS
from tests.trace.foreign.kinds import KINDS, NUMBERS, Make
from tests.trace.foreign.programs import PROGRAMS, VALUES, Program, X, with_numbers, with_results, with_vectors
from tests.trace.foreign.transformations import TRANSFORMATIONS, DetachedError, hessian

LINE = re.compile(r"\(\w+\.py:\d+\)")


class Case(NamedTuple):
    """One case.

    Attributes:
        name: what meets what, and how.
        kind: the kind of object.
        run: gives the value and the gradient, each of which may be None.
        plain: the program as plain NumPy runs it.
        with_array: the same with a plain array in the place of the object.
    """

    name: str
    kind: str
    run: Callable[[], Any]
    plain: Callable[[Any], Any]
    with_array: Callable[[Any], Any]


def quietly(function: Callable[..., Any], *args: Any) -> Any:
    """A call without warnings: some classes warn when they are made, and some programs divide by zero."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*args)


def called(program: Program, make: Make, values: Any, x: Any) -> Any:
    """The program with its constant, made anew."""
    return program(x, make(values))


def of_constant(transformation: Callable[..., Any], name: str, program: Program, values: Any, kind: str) -> Case:
    """The object is closed over."""
    f = partial(called, program, KINDS[kind], values)
    as_array = partial(called, program, np.asarray, values)
    return Case(f"{transformation.__name__} of {name}", kind, partial(transformation, f, X.copy()), f, as_array)


def of_number(transformation: Callable[..., Any], name: str, kind: str) -> Case:
    """A number that is closed over."""
    f = partial(with_numbers()[name], k=NUMBERS[kind])
    as_float = partial(with_numbers()[name], k=float(NUMBERS[kind]))
    return Case(f"{transformation.__name__} of {name}", kind, partial(transformation, f, X.copy()), f, as_float)


def of_traced_objects(transformation: Callable[..., Any], name: str, program: Program) -> Case:
    """An array of Python objects that holds elements of x."""

    def f(x: Any) -> Any:
        return program(x, traced_objects(x))

    def plain(x: Any) -> Any:
        return program(x, np.stack([x[place] * 2.0 for place in range(3)]))

    run = partial(transformation, f, X.copy())
    return Case(f"{transformation.__name__} of {name}", "objects that are traced", run, plain, plain)


def traced_objects(x: Any) -> Any:
    found = np.empty(3, dtype=object)
    for place in range(3):
        found[place] = x[place] * 2.0
    return found


def of_differentiated(transformation: Callable[..., Any], kind: str) -> Case:
    """The object is the argument that is differentiated."""
    name = f"{transformation.__name__} with respect to it"
    return Case(name, kind, lambda: transformation(of_squares, KINDS[kind](X)), of_squares, of_squares)


def of_squares(x: Any) -> Any:
    return np.sum(x * x * 1.5)


def of_argument(transformation: Callable[..., Any], kind: str) -> Case:
    """The object is another argument."""
    name = f"{transformation.__name__} with it as an argument"
    program = with_vectors()["np.sum(k * x)"]
    f = partial(called, program, KINDS[kind], VALUES)
    as_array = partial(called, program, np.asarray, VALUES)
    return Case(name, kind, lambda: transformation(program, X.copy(), KINDS[kind](VALUES)), f, as_array)


def all_cases() -> list[Case]:
    """Every kind at every place under every transformation."""
    found = [
        of_constant(transformation, name, program, values, kind)
        for kind in KINDS
        for table, values in PROGRAMS
        for name, program in table.items()
        for transformation in TRANSFORMATIONS
    ]
    found += [of_differentiated(t, kind) for kind in KINDS for t in TRANSFORMATIONS if t is not hessian]
    found += [of_argument(transformation, kind) for kind in KINDS for transformation in ARGUMENTS]
    found += [of_number(t, name, kind) for kind in NUMBERS for name in with_numbers() for t in TRANSFORMATIONS]
    traced = with_vectors() | with_results()
    found += [of_traced_objects(t, name, program) for name, program in traced.items() for t in TRANSFORMATIONS]
    return found


def number(value: Any) -> float:
    """A result as one number."""
    if isinstance(value, np.ma.MaskedArray):
        return float(np.ma.sum(value))
    return float(np.sum(np.asarray(getattr(value, "held", value))))


def outcome(function: Callable[[Any], Any]) -> tuple[float, Any] | None:
    """What plain NumPy gives, and its derivative by differences; None where it raises."""
    h = 1e-6
    try:
        value = number(function(X.copy()))
        slopes = [(number(function(X + h * row)) - number(function(X - h * row))) / (2 * h) for row in np.eye(3)]
    except Exception:
        return None
    return value, np.array(slopes)


def verdict(case: Case) -> str:
    """``right``, ``refused``, or what is wrong."""
    try:
        value, gradient = quietly(case.run)
    except DetachedError as error:
        return "right" if "result" in case.name else f"detached: {error}"
    except Exception as error:
        if LINE.search(str(error)) or LINE.search(str(error.__cause__)) or quietly(outcome, case.plain) is None:
            return "refused"
        return f"raw {type(error).__name__}: {error}"
    wanted = quietly(outcome, case.plain) or quietly(outcome, case.with_array)
    if wanted is None:
        return "accepted what NumPy refuses"
    if value is not None and not np.isclose(number(value), wanted[0], rtol=1e-9, equal_nan=True):
        return f"value {number(value)}, not {wanted[0]}"
    if gradient is not None:
        gradient = np.asarray(gradient, float).reshape(-1, 3).sum(0)
        if not np.allclose(gradient, wanted[1], rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"gradient {gradient}, not {wanted[1]}"
    return "right"
