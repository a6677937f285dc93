"""The ways in which a call of a function of SciPy can be written, derived from its signature.

``python -m tests.scipy.writings`` tries all of them, of all programs, with other values of options too, in some minutes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import Parameter, Signature, signature
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import autodiff
from autodiff.scipy import mirror
from autodiff.trace.failures.classes import AutodiffError
from autodiff.trace.trees.tree import flatten
from tests.scipy.programs.check import Program
from tests.scipy.programs.table import all_programs

PLAIN = (bool, int, float, str, tuple, type(None))
SINGLE = 2e-3
"""How well numbers in single precision agree with SciPy's, which may compute them in double precision."""

OF_ANY_SIGN = ("eig", "eigh")
"""Functions whose vectors may have another sign, or be multiplied by a complex number of size one."""


class Call(NamedTuple):
    """A call of a function.

    Attributes:
        way: how it is written, in words.
        args: what is given by place.
        kwargs: what is given by name.
        anew: whether it is another call, and not the first one written otherwise.
    """

    way: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    anew: bool = False


def first_call(module: str, name: str, program: Program) -> tuple[Callable[..., Any], Call] | None:
    """SciPy's function, and how a program calls it."""
    original = getattr(import_module(f"scipy.{module}"), name, None)
    calls: list[Call] = []
    plain = mirror.plain_call

    def recorded(function: Any, args: Any, kwargs: Any) -> Any:
        if function is original:
            calls.append(Call("first", args, kwargs))
        return plain(function, args, kwargs)

    with mock.patch.object(mirror, "plain_call", recorded):
        program.fun(*program.args)
    return (original, calls[0]) if calls else None


def writings(original: Callable[..., Any], call: Call, deep: bool = False) -> Iterator[Call]:
    """The same call written otherwise; and, if wanted, calls with other options and with arrays of other shapes."""
    yield call
    yield from layouts(call)
    parameters = signature(original).parameters
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters.values()):
        return
    given = signature(original).bind(*call.args, **call.kwargs).arguments
    more = {n: given.pop(n) for n, p in parameters.items() if p.kind is Parameter.VAR_KEYWORD and n in given}
    options = next(iter(more.values()), {})
    defaults = {n: p.default for n, p in parameters.items() if isinstance(p.default, PLAIN)}
    written_out = {n: given.get(n, defaults.get(n)) for n in parameters if n in given or n in defaults}
    for way, arguments in (("", given), ("defaults ", written_out)):
        for by_name in (True, False):
            args, kwargs = laid_out(signature(original), arguments, by_name)
            yield Call(f"{way}by {'name' if by_name else 'place'}", args, {**kwargs, **options})
    if deep:
        for name, value in other_options({**defaults, **given}):
            args, kwargs = laid_out(signature(original), {**given, name: value}, True)
            yield Call(f"{name}={value!r}", args, {**kwargs, **options}, True)


def laid_out(of: Signature, arguments: dict[str, Any], by_name: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments by name as far as that can be, or by place as far as that can be."""
    args: list[Any] = []
    kwargs = {}
    for name, parameter in of.parameters.items():
        if name not in arguments:
            by_name = True  # those that follow
        elif parameter.kind is Parameter.POSITIONAL_ONLY or not (by_name or parameter.kind is Parameter.KEYWORD_ONLY):
            args.append(arguments[name])
        else:
            kwargs[name] = arguments[name]
    return tuple(args), kwargs


def other_options(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Other values of axes, switches and whole numbers."""
    for name, value in arguments.items():
        if name in ("axis", "axes"):
            yield from ((name, other) for other in (0, 1, -1, None, (0,), (0, 1)) if other != value)
        elif isinstance(value, bool):
            yield name, not value
        elif isinstance(value, int):
            yield from ((name, value + step) for step in (-1, 1, 2))


def layouts(call: Call) -> Iterator[Call]:
    """The same numbers in arrays that lie otherwise in memory, and in single precision."""
    ways = {
        "columns first": np.asfortranarray,
        "every second": lambda x: np.repeat(x, 2, -1)[..., ::2] if x.ndim else x,
        "backwards": lambda x: x[::-1].copy()[::-1] if x.ndim else x,
        "single": lambda x: x.astype(np.complex64 if x.dtype.kind == "c" else np.float32),
    }
    for way, change in ways.items():
        args, kwargs = in_arrays(change, (call.args, call.kwargs))
        yield Call(way, args, kwargs)


def in_arrays(change: Callable[[Any], Any], tree: Any) -> Any:
    """Arguments with another array in the place of each."""
    if isinstance(tree, np.ndarray) and tree.dtype.kind in "fc":
        return change(tree)
    if isinstance(tree, (list, tuple)):
        return type(tree)(in_arrays(change, part) for part in tree)
    if isinstance(tree, dict):
        return {key: in_arrays(change, part) for key, part in tree.items()}
    return tree


def function_of_arrays(function: Callable[..., Any], call: Call) -> tuple[Callable[..., Any], list[Any]]:
    """A call as a function of the arrays in its arguments, and those."""
    arrays: list[Any] = []
    in_arrays(lambda x: arrays.append(x) or x, (call.args, call.kwargs))

    def called(*others: Any) -> Any:
        each = iter(others)
        args, kwargs = in_arrays(lambda _: next(each), (call.args, call.kwargs))
        found = function(*args, **kwargs)
        found = flatten(tuple(found) if isinstance(found, (tuple, SimpleNamespace)) else found)[0]
        return [x for x in found if getattr(x, "dtype", np.dtype(object)).kind in "fc" or isinstance(x, float)]

    return called, arrays


def derivative(function: Callable[..., Any], call: Call) -> tuple[Any, Any]:
    """The values of a call, and their derivative in a direction."""
    called, arrays = function_of_arrays(function, call)
    return autodiff.jvp(called, tuple(arrays), tuple(direction_of(x) for x in arrays))


def direction_of(x: Any) -> Any:
    """A direction, the same however an array lies in memory."""
    return np.sin(1.0 + np.arange(x.size)).reshape(x.shape).astype(x.dtype)


def slope(function: Callable[..., Any], call: Call) -> list[Any]:
    """The same derivative by differences of SciPy's own values."""
    called, arrays = function_of_arrays(function, call)
    step = 2e-6

    def moved(by: float) -> Any:
        return called(*(x + by * direction_of(x) for x in arrays))

    ends = zip(moved(step), moved(-step), strict=True)
    return [(after - before) / (2 * step) for after, before in ends]


def fault(module: str, name: str, call: Call, first: Any) -> str | None:
    """What is wrong with a call, in words.

    Args:
        module: SciPy's.
        name: of the function.
        call: of it.
        first: what the first call found, of which this one is another writing.
    """
    original, own = (getattr(import_module(f"{package}.{module}"), name) for package in ("scipy", "autodiff.scipy"))
    called, arrays = function_of_arrays(original, call)
    try:
        expected = called(*map(np.copy, arrays))  # which it may overwrite
        moves = slope(original, call) if call.anew else first[1]
    except Exception:  # SciPy does not take it
        return None
    try:
        values, tangents = derivative(own, call)
    except AutodiffError as error:
        return None if call.anew else f"is refused: {error}"
    except Exception as error:  # whatever it is, it is none of ours
        return f"ends with {type(error).__name__}: {error}"
    near = {"rtol": SINGLE, "atol": SINGLE} if call.way == "single" else {"rtol": 1e-7, "atol": 1e-9}
    far = {"rtol": 1e-3, "atol": 1e-4} if call.anew else near
    return unlike("value", values, expected, **near) or unlike("derivative", tangents, moves, **far)


def unlike(what: str, found: Any, expected: Any, **tolerance: float) -> str | None:
    """In what two lists of arrays differ, in words; NaN says nothing of a derivative."""
    if [np.shape(x) for x in found] != [np.shape(x) for x in expected]:
        return f"has a {what} of another shape than SciPy's"
    for ours, theirs in zip(found, expected, strict=True):
        known = np.isfinite(theirs) | (what == "value")
        if not np.allclose(np.asarray(ours)[known], np.asarray(theirs)[known], equal_nan=True, **tolerance):
            return f"has another {what} than SciPy's"
    return None


def faults(module: str, deep: bool = False) -> list[str]:
    """What is wrong with the writings of all programs of a module."""
    found = []
    for name, program in all_programs()[module].items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            known = first_call(module, name, program)
            if known is None or isinstance(known[0], np.ufunc) or name in OF_ANY_SIGN:
                continue
            try:
                first = derivative(getattr(import_module(f"autodiff.scipy.{module}"), name), known[1])
            except AutodiffError:  # by an array that the program keeps constant
                continue
            said = ((call.way, fault(module, name, call, first)) for call in writings(*known, deep))
            found += [f"scipy.{module}.{name}, {way}, {words}" for way, words in said if words]
    return found


if __name__ == "__main__":
    sys.exit("\n".join(line for module in sys.argv[1:] or all_programs() for line in faults(module, deep=True)))
