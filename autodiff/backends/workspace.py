"""Workspaces: the arrays of a program that do not leave it, made once and handed from call to call.

A call takes a workspace out of the list of idle ones, or makes one, and puts it back when it is done, whatever
happens: so two calls at once never share one, be it in two threads or because a call leads to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.backends.idle import SMALL, Idle
from autodiff.backends.passes.memory.placement import Memory
from autodiff.trace.formats.text import identifier
from autodiff.trace.memory.aligned import room
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation


class Workspace:
    """What the calls of a program share in turn.

    Args:
        memory: where the program's arrays lie.

    Attributes:
        names: of the arrays, as the program's text has them.
        views: results that only show an array of the workspace: they are made with it, once.
        idle: workspaces that no call uses.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.views: dict[int, Equation] = {}
        prototype = self.placed()
        for equation in memory.tape.equations:
            self.look_at(equation, prototype)
        read = {o for e in self.others() for o in e.operands}
        self.shown = [slot for slot in self.views if slot in read]
        self.names = [
            *map(room_name, memory.places),
            *(f"work_{number}_{k}" for number, found in memory.working.items() for k in range(len(found))),
            *(f"status_{number}" for number in memory.status),
            *map(identifier, self.shown),
        ]
        self.idle: list[tuple[Any, ...]] = [] if memory.size <= SMALL else Idle()

    def others(self) -> Iterator[Equation]:
        """The operations that are done in each call."""
        return (e for e in self.memory.tape.equations if not (e.results and e.results[0] in self.views))

    def placed(self) -> dict[Any, Any]:
        """The arrays of a new workspace by their slots; the bytes under None."""
        specs, whole = self.memory.tape.specs, room(self.memory.size)
        found: dict[Any, Any] = {None: whole}
        for slot, at in self.memory.places.items():
            found[slot] = array_at(whole, at, specs[slot])
        return found

    def look_at(self, equation: Equation, arrays: dict[Any, Any]) -> None:
        """Find out whether an operation only shows an array of the workspace."""
        if equation.primitive.view and len(equation.operands) == 1 and equation.operands[0] in arrays:
            show(equation, arrays)
            found = [arrays[slot] for slot in equation.results]
            if all(isinstance(one, np.ndarray) and np.may_share_memory(one, arrays[None]) for one in found):
                self.views.update(dict.fromkeys(equation.results, equation))
            else:
                for slot in equation.results:
                    del arrays[slot]

    def make(self) -> tuple[Any, ...]:
        """A new one: the arrays in the order of their names."""
        arrays = self.placed()
        for equation in dict.fromkeys(self.views.values()):
            show(equation, arrays)
        memory = self.memory
        return (
            *(arrays[slot] for slot in memory.places),
            *(array_at(arrays[None], at, own) for found in memory.working.values() for at, own in found),
            *(np.zeros(own.shape, own.dtype) for found in memory.status.values() for own in found),
            *(arrays[slot] for slot in self.shown),
        )


def show(equation: Equation, arrays: dict[Any, Any]) -> None:
    """Add the results of an operation that shows its operand."""
    found = equation.primitive.evaluate(arrays[equation.operands[0]], **dict(equation.params))
    parts: Sequence[Any] = found if isinstance(found, tuple) else (found,)
    arrays.update(zip(equation.results, parts, strict=True))


def array_at(memory: np.ndarray[Any, Any], start: int, own: Spec) -> np.ndarray[Any, Any]:
    """An array in memory."""
    return np.ndarray(own.shape, own.dtype, memory, start)


def room_name(slot: int) -> str:
    """What the memory of a value is called."""
    return f"room_{identifier(slot)}"


def checked_out(
    steps: Callable[..., Any], plain: Callable[..., Any], arguments: Sequence[tuple[str, Spec]], workspace: Workspace
) -> Callable[..., Any]:
    """A program's function with a workspace for each call.

    Args:
        steps: the function; it takes the arguments and the arrays of a workspace.
        plain: what runs instead where an argument is an array of another library, or of a subclass: NumPy's functions
            then return such arrays too, and can write to no others.
        arguments: names and specs.
        workspace: of the program.
    """
    names = "".join(f"{name}, " for name, _ in arguments)
    foreign = [f"type({name}) is not _array" for name, own in arguments if own.kind == "array" and own.ndim]
    foreign += [f"not isinstance({name}, _ours)" for name, own in arguments if own.kind == "array" and not own.ndim]
    lines = [f"def run({names}):"]
    if foreign:
        lines += [f"    if {' or '.join(foreign)}:", f"        return _plain({names})"]
    if workspace.names:
        lines += ["    try:", "        _own = _idle.pop()", "    except IndexError:", "        _own = _make()"]
        lines += ["    try:", f"        return _steps({names}*_own)", "    finally:", "        _idle.append(_own)"]
    else:
        lines.append(f"    return _steps({names})")
    scope: dict[str, Any] = {
        "_array": np.ndarray,
        "_idle": workspace.idle,
        "_make": workspace.make,
        "_ours": (np.ndarray, np.generic, bool, int, float, complex),
        "_plain": plain,
        "_steps": steps,
    }
    exec(compile("\n".join(lines), "<autodiff workspace>", "exec"), scope)
    run: Callable[..., Any] = scope["run"]
    return run
