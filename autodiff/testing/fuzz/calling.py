"""Ways to call a function that transformations leave alone.

With trees, several times with other arguments, bound to memory, with memory to give away, and by way of its tape as it
is saved or written down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.formats.python import tape_python
from autodiff.trace.formats.save import tape_from_json, tape_to_json
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.control.carry import ControlError
from autodiff.transforms.stage import eval_tape, make_tape

Function = Callable[..., Any]

OTHER = {"float32": "float64", "float64": "float32", "int64": "int32", "int32": "int64", "complex128": "complex64"}
"""What dtypes become in another call."""


class Two(NamedTuple):
    """A named tuple of two trees."""

    one: Any
    other: Any


@dataclass
class Held:
    """A dataclass of two trees."""

    first: Any
    rest: Any


def treed(f: Function, wrap: Function = lambda f: f) -> Function:
    """The function of trees of the arguments, the first of them twice; it returns a tree, with arguments and constants.

    Args:
        f: the function.
        wrap: makes of the function of trees what is called.
    """

    def of_trees(packed: Any, again: Any, *, key: Any = None) -> Any:
        results = f(*unpacked(packed))
        results = results if isinstance(results, tuple) else (results,)
        return {
            (0, "a"): list(results),
            None: Two(None, [again]),
            3: (Held(results[-1], ()), 2.5, packed[None]),
            1: key,
        }

    called = wrap(of_trees)
    return lambda *args: called(packed_in(args), args[0], key={"given": args[-1]})


def packed_in(args: Sequence[Any]) -> dict[Any, Any]:
    """Arguments in containers of every kind, with keys of several types."""
    first, *rest = args
    return {None: Two([first], None), 2: Held((), dict(enumerate(reversed(rest)))), (1, "b"): None}


def unpacked(packed: dict[Any, Any]) -> list[Any]:
    """The arguments again."""
    rest = packed[2].rest
    return [packed[None].one[0], *(rest[k] for k in sorted(rest, reverse=True))]


def several(f: Function) -> Function:
    """The results of several calls: with other values, layouts, dtypes and kinds, and with results of the first."""

    def in_turn(*args: Any) -> Any:
        first = f(*args)
        found = [first, f(*map(turned, args))]
        for change in (other_dtype, other_kind):
            try:
                found.append(f(*map(change, args)))
            except ControlError:  # branches that agree in one dtype alone, of which eager runs one
                raise
            except (TypeError, ValueError, IndexError, ZeroDivisionError):  # what NumPy refuses, it refuses again
                found.append(None)
        found.append(f(*fed(args, flatten(first)[0])))
        return [*found, f(*args)]

    return in_turn


def turned(arg: Any) -> Any:
    """Other values, in another layout."""
    return np.flip(arg) if np.ndim(arg) else arg


def other_dtype(arg: Any) -> Any:
    """A value of the other precision."""
    own = spec_of(arg)
    return arg if own.kind == "python" or own.dtype.name not in OTHER else arg.astype(OTHER[own.dtype.name])


def other_kind(arg: Any) -> Any:
    """A number in place of an array without axes, and the other way round."""
    own = spec_of(arg)
    if own.shape or own.kind == "python":
        return arg
    return arg[()] if own.kind == "array" else arg[...]


def fed(args: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments, in place of some of which results of the call before stand, where they are alike."""
    left, found = list(results), []
    for arg in args:
        same = [k for k, one in enumerate(left) if spec_of(one) == spec_of(arg)]
        found.append(left.pop(same[0]) if same else arg)
    return tuple(found)


def bound(f: Function, compiled: Callable[[Function], Any]) -> Function:
    """The function bound to memory that holds other values at first.

    Args:
        f: the function.
        compiled: ``jit``.
    """

    def called(*args: Any) -> Any:
        program = compiled(f)
        leaves, structure = flatten(program(*args))
        memory = [np.array(turned(arg), order="C") if type(arg) is np.ndarray else arg for arg in args]
        binding = program.bind(*memory)
        binding()
        for own, arg in zip(memory, args, strict=True):
            if type(arg) is np.ndarray:
                own[...] = arg
        binding()
        found = [of_kind(np.array(value), leaf) for value, leaf in zip(flatten(binding())[0], leaves, strict=True)]
        return structure.unflatten(found)

    return called


def of_kind(value: Any, like: Any) -> Any:
    """An array without axes as the number that another value is."""
    if isinstance(like, np.ndarray):
        return value
    return value[()] if isinstance(like, np.generic) else value.item()


def donating(f: Function, compiled: Callable[..., Any]) -> Function:
    """The function with arguments whose memory it may take."""

    def called(*args: Any) -> Any:
        program = compiled(f, donate_argnums=tuple(range(len(args))))
        return program(*(arg.copy(order="K") if isinstance(arg, np.ndarray) else arg for arg in args))

    return called


def saved(f: Function) -> Function:
    """The function by way of its tape as text."""

    def called(*args: Any) -> Any:
        tape = tape_from_json(tape_to_json(make_tape(f)(*args)), (Held, Two))
        return eval_tape(tape, *args)

    return called


def written(f: Function) -> Function:
    """The function by way of its tape as a Python module."""

    def called(*args: Any) -> Any:
        scope: dict[str, Any] = {}
        tape = make_tape(f)(*args)
        exec(tape_python(tape), scope)
        return scope["tape"](*args)

    return called
