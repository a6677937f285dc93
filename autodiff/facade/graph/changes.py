"""In debug mode: whether arrays that the backward pass needs were changed after the operations that need them.

Graphs of Variables hold arrays as they are, without copies, and an array that is changed in place gives the gradient of
other numbers. Copying would double what a graph holds; in debug mode each array leaves a mark, a hash of its bytes, and
the backward pass compares. An array that was assigned to the Variable in the meantime is meant to count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.backends.gpu import is_gpu_array
from autodiff.facade.graph.composition import Composition
from autodiff.facade.graph.known_operands import Operands
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.settings.configuration import config
from autodiff.trace.link import Link
from autodiff.trace.live import Entry
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


class Kept:
    """An array that an operation needs again.

    Attributes:
        name: what it is to the operation.
        node: the node that holds it; None for constants and what functions keep themselves.
        array: the array.
        mark: tells whether it is still the same.
    """

    __slots__ = ("array", "mark", "name", "node")

    def __init__(self, name: str, node: Any, array: Any) -> None:
        self.name, self.node, self.array = name, node, array
        self.mark = mark_of(array)

    @property
    def changed(self) -> bool:
        """Whether the array holds other bytes now; one that the node holds no longer does not count."""
        if self.mark is None or (self.node is not None and self.node.data is not self.array):
            return False
        if isinstance(self.mark, bytes):
            return bool(self.mark != mark_of(self.array))
        return not bool((self.mark.view(np.uint8) == self.array.copy().view(np.uint8)).all())


class KeptArrays:
    """The arrays that one operation needs again, and where it ran."""

    __slots__ = ("arrays", "place")

    def __init__(self, arrays: Iterable[Kept]) -> None:
        self.arrays = list(arrays)
        self.place = at_user_line()

    def check(self, label: str, called_at: str) -> None:
        """See that none was changed.

        Args:
            label: the name of the operation.
            called_at: where it was called, as further lines.

        Raises:
            RuntimeError: if one was.
        """
        for kept in self.arrays:
            if kept.changed:
                raise RuntimeError(
                    f"{kept.name} of {label}{self.place}, {spec_of(kept.array)!r}, was changed in place before the "
                    f"backward pass{at_user_line()} that needs it: the gradient would be that of other numbers. Copy "
                    f"it before it is changed, or assign a new array to the Variable.{called_at}"
                )


def mark_of(array: Any) -> Any:
    """A hash of an array's bytes; a copy of one on a GPU; None of what is no plain array."""
    if is_gpu_array(array):
        return array.copy()
    if not isinstance(array, np.ndarray) or array.dtype.hasobject:
        return None
    return hashlib.blake2b(np.ascontiguousarray(array).view(np.uint8).data, digest_size=16).digest()


def note_kept_by_rules(function: Any, link: Link, operation: Operands, out: Any) -> None:
    """Let the object that shows an operation know which arrays the rules of a primitive need."""
    if config.debug:
        every = -1 in link.kept
        operands = [k for k in range(len(operation.values)) if every or k in link.kept]
        note_kept(function, operation, operands, out if link.keeps_out else ())


def note_kept_inside(function: Any, composition: Composition, operation: Operands, out: Any) -> None:
    """The same of a function that was recorded as one node."""
    if config.debug:
        inside = list(arrays_inside(composition))
        operands = [k for k, value in enumerate(operation.values) if shared(value, inside)]
        outs = out if type(out) is tuple else (out,)
        note_kept(function, operation, operands, tuple(part if shared(part, inside) else None for part in outs))


def note_kept(function: Any, operation: Operands, operands: Sequence[int], outs: Any) -> None:
    """The same of these operands and results, None for those that are not needed."""
    if not config.debug:
        return
    outs = outs if type(outs) is tuple else (outs,)
    function.kept_arrays = KeptArrays(
        [
            *(Kept(f"operand {k}", node_or_none(operation.entries[k]), operation.values[k]) for k in operands),
            *(Kept("the result" if len(outs) == 1 else f"result {k}", None, out) for k, out in enumerate(outs)),
        ]
    )


def node_or_none(entry: Any) -> VariableNode | None:
    """The node of a Variable; None of any other operand."""
    return entry if type(entry) is VariableNode else None


def shared(array: Any, others: Iterable[np.ndarray[Any, Any]]) -> bool:
    """Whether an array shares memory with one of others."""
    return isinstance(array, np.ndarray) and any(np.may_share_memory(array, other) for other in others)


def arrays_inside(composition: Composition) -> Iterable[np.ndarray[Any, Any]]:
    """The arrays that the recording of a function keeps."""
    waiting = [entry for entry in composition.outs if entry is not None]
    seen: set[int] = set()
    while waiting:
        entry = waiting.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        yield from plain_arrays(entry.residuals)
        operands = entry.operands if type(entry.operands) is tuple else (entry.operands,)
        waiting.extend(operand for operand in operands if isinstance(operand, Entry))


def plain_arrays(residuals: Any) -> Iterable[np.ndarray[Any, Any]]:
    """The arrays among residuals."""
    if isinstance(residuals, np.ndarray):
        yield residuals
    elif isinstance(residuals, tuple):
        for residual in residuals:
            yield from plain_arrays(residual)
