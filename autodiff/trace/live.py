"""The live form of a tape: linked, immutable entries, made while code runs.

An entry points to the entries of its operands, never the other way, so that what no result depends on is freed at
once, and everything else when the last result is dropped. Nothing is kept but the residuals that a rule names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.trace.failures.operations import explained
from autodiff.trace.link import Link
from autodiff.trace.memory.recycling import Block
from autodiff.trace.memory.system import keep_freed_memory
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import Recording
from autodiff.trace.spec import Spec, is_chunked, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import check_places, on_gpu
from autodiff.trace.values.chunked import any_chunked
from autodiff.trace.values.layout import copied
from autodiff.trace.values.leaves import COMMON, as_leaf

SMALL = 4096
"""Arrays of up to so many bytes are copied when they must be kept: cheaper than any bookkeeping."""

LARGE = 1 << 20
"""Arrays on a GPU of up to so many bytes are copied whenever they must be kept."""

EXPLAINED = (ValueError, TypeError, IndexError, OverflowError)


keep_freed_memory()

FIRST = (0,)
"""The positions of the one operand that most operations have."""


class Entry:
    """One operation on a live tape, or one input.

    Attributes:
        link: the primitive and which operands are differentiated; None for an input; a :class:`Result` for one of
            several results.
        operands: the entry of the one differentiated operand, or a tuple of several.
        residuals: what the rules of the link need; see :attr:`autodiff.trace.link.Link.collect`.
        order: larger than that of every operand.
        spec: the spec of the result; a tuple where the primitive has several results.
    """

    __slots__ = ("link", "operands", "order", "residuals", "spec")

    def __init__(self, link: Link | Result | None, operands: Any, residuals: Any, order: int, spec: Any) -> None:
        self.link = link
        self.operands = operands
        self.residuals = residuals
        self.order = order
        self.spec = spec


Turn = tuple[Entry, dict[int, Any]]
"""The entry of what was done in its turn, and of each of its results the value of an outer recording; None if plain."""


class Result:
    """The link of an entry that is result number ``index`` of its operand, an operation with several results."""

    __slots__ = ("index",)
    special = True

    def __init__(self, index: int) -> None:
        self.index = index


class Differentiation(Recording):
    """Records what a reverse pass needs: differentiable operations, linked."""

    __slots__ = ("copies", "turns")
    purpose: ClassVar[str] = "the derivative (grad, vjp, ...)"

    def __init__(self) -> None:
        super().__init__()
        self.linked = True
        self.turns: list[Turn] = []  # of what was done in its turn
        self.copies: dict[int, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}

    def input(self, value: Any) -> Tracer:
        """A traced value with respect to which derivatives are taken."""
        if type(value) is not np.ndarray and (on_gpu(value) or is_chunked(value)):
            self.linked = False  # the fast path does not look at where operands lie
        return Tracer(value, self, Entry(None, None, None, 0, spec_of(value)))

    def lift(self, value: Any) -> Tracer:
        return self.input(value)

    def close(self) -> None:
        super().close()
        self.copies = {}

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        if not self.open:
            self.check_open(primitive.name)
        if len(operands) == 1:
            return self.record_one(primitive, operands[0], params, apply)
        values, entries = list(operands), []
        positions = []
        for position, operand in enumerate(operands):
            if isinstance(operand, Tracer) and operand.recording is self:
                entry: Entry = operand.slot
                values[position] = self.keep_input(operand) if entry.link is None and primitive.view else operand.primal
                if primitive.rule(position) is not None:
                    positions.append(position)
                    entries.append(entry)
            elif type(operand) not in COMMON and (type(operand) is not np.ndarray or operand.dtype.kind == "O"):
                values[position] = as_leaf(operand)
                if is_chunked(operand):
                    self.linked = False
        if not self.linked:
            check_places(primitive.name, values)
            apply = None if any_chunked(values) else apply
        try:
            out = (apply or primitive)(*values, **params)
        except EXPLAINED as error:
            raise explained(error, primitive.name, values) from None
        if not entries:
            return out
        link = primitive.link(tuple(positions))
        for position in link.kept:
            for k in range(len(values)) if position < 0 else (position,):
                operand = operands[k]
                if not (isinstance(operand, Tracer) and operand.recording is self):
                    values[k] = self.keep(values[k])
                elif operand.slot.link is None:
                    values[k] = self.keep_input(operand)
        residuals = link.collect(values, out, params)
        return self.results(link, entries[0] if len(entries) == 1 else tuple(entries), residuals, out)

    def record_one(
        self, primitive: Primitive, operand: Tracer, params: Mapping[str, Any], apply: Callable[..., Any] | None
    ) -> Any:
        """The same for the one operand of an operation, which is this recording's."""
        value = operand.primal
        entry: Entry = operand.slot
        link = None if primitive.rules[0] is None else primitive.links.get(FIRST) or primitive.link(FIRST)
        if entry.link is None and (primitive.view or (link is not None and link.kept)):
            value = self.keep_input(operand)
        if type(value) is np.ndarray:
            run = apply or primitive.evaluate
        else:
            run = primitive if apply is None or is_chunked(value) else apply
        try:
            out = run(value, **params)
        except EXPLAINED as error:
            raise explained(error, primitive.name, (value,)) from None
        return out if link is None else self.results(link, entry, link.collect((value,), out, params), out)

    def results(self, link: Link, operands: Any, residuals: Any, out: Any) -> Any:
        """Wrap what an operation returned, with the entries that say where it came from."""
        order = 1 + (operands.order if type(operands) is Entry else max(entry.order for entry in operands))
        if type(out) is not tuple:
            out_spec = spec_of(out)
            if out_spec.dtype.kind not in "fc" and not out_spec.inexact:
                return out
            return Tracer(out, self, Entry(link, operands, residuals, order, out_spec))
        specs: tuple[Spec, ...] = tuple(map(spec_of, out))
        whole = Entry(link, operands, residuals, order, specs)
        order += 1
        return tuple(
            [
                Tracer(part, self, Entry(Result(index), whole, None, order, its)) if its.dtype.kind in "fc" else part
                for index, (part, its) in enumerate(zip(out, specs, strict=True))
            ]
        )

    def keep(self, value: Any) -> Any:
        """The value as it is now, whatever happens later to the array that the user holds.

        Small arrays are copied. Of larger ones one copy is kept and used again as long as the contents agree. The copy
        is laid out as the array is: what NumPy's reshape shares depends on that.
        """
        if not isinstance(value, np.ndarray):
            if isinstance(value, Traced):
                return value
            return self.keep_on_gpu(value) if on_gpu(value) else value.copy() if is_chunked(value) else value
        if immutable(value):
            return value
        if value.nbytes <= SMALL:
            return value.copy("K") if value.flags.forc else copied(value)
        found = self.copies.get(id(value))
        if found is not None and same_bits(found[1], value):
            return found[1]
        copy = copied(value)
        self.copies[id(value)] = (value, copy)
        return copy

    def keep_on_gpu(self, value: Any) -> Any:
        """The same of an array of CuPy. Comparing waits for the GPU, which only copies of many bytes are worth."""
        found = self.copies.get(id(value))
        if found is not None and (found[1] is value or (value.nbytes > LARGE and same_bits(found[1], value))):
            return found[1]
        copy = value.copy(order="K")
        if value.nbytes > LARGE:
            self.copies[id(value)] = (value, copy)
        return copy

    def keep_input(self, tracer: Tracer) -> Any:
        """The value of an input, kept: from now on the traced value holds a copy, which nobody can write to."""
        value = tracer.primal
        kept = self.keep(value)
        if kept is not value:
            if isinstance(kept, np.ndarray):
                kept.flags.writeable = False
            else:
                self.copies[id(kept)] = (kept, kept)  # nobody else has it
            tracer.primal = kept
        return kept


def ordered_after(out: Any) -> Any:
    """What an operation that is done in its turn has just returned, such that it is read backwards in its turn, too.

    Entries are read by their order, the highest first: those of such operations grow in the order in which they ran,
    whatever their operands are. The recording keeps them, since they are read also where no result depends on them.
    """
    traced = [part for part in (out if type(out) is tuple else (out,)) if isinstance(part, Tracer)]
    if not traced or not isinstance(traced[0].recording, Differentiation):
        return out
    turns, first = traced[0].recording.turns, traced[0].slot
    whole = first.operands if isinstance(first.link, Result) else first
    if turns:
        whole.order = max(whole.order, turns[-1][0].order + 2)  # after the results of that one
    known = {}
    for part in traced:
        if whole is not first:
            part.slot.order = whole.order + 1
        known[0 if whole is first else part.slot.link.index] = part.primal if isinstance(part.primal, Traced) else None
    turns.append((whole, known))
    return out


def immutable(array: Any) -> bool:
    """Whether neither the array nor any array whose memory it shows can be written to."""
    while isinstance(array, np.ndarray) and type(array) is not Block:  # of which nobody else knows
        if array.flags.writeable:
            return False
        array = array.base
    return array is None or type(array) is Block


def same_bits(a: Any, b: Any) -> bool:
    """Whether two arrays of one shape and dtype hold the same values, counting NaN equal to NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if is_chunked(a):
        return bool(a.name == b.name)  # the names of Dask's tasks say what they compute
    if a.flags.c_contiguous and b.flags.c_contiguous and a.dtype.kind in "fc":
        word = np.dtype(f"u{min(a.dtype.itemsize, 8)}") if a.dtype.itemsize in (2, 4, 8, 16) else np.dtype("u1")
        return np.array_equal(a.reshape(-1).view(word), b.reshape(-1).view(word))
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
