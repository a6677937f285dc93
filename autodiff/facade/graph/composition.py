"""What a node keeps of a function that was composed of many operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from autodiff.facade.graph.known_operands import Operands
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.graph.residuals import Own
from autodiff.trace.facts import NO_FACTS
from autodiff.trace.link import Link
from autodiff.trace.live import Differentiation, Entry, Result
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.transforms.gradient import vjp
from autodiff.transforms.masking import unmasked
from autodiff.transforms.reverse import read_backwards


class Composing(Differentiation):
    """Records what happens inside of a node. All arrays are the function's own: they need no protection."""

    __slots__ = ()
    purpose = "a function of Variables"

    def keep(self, value: Any) -> Any:
        return value

    def keep_input(self, tracer: Tracer) -> Any:
        return tracer.primal


class ComposingWholeNumbers(Composing):
    """The same for integers, whose gradients are moved and added."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.linked = False  # the fast path knows only numbers that have derivatives

    def results(self, link: Link, operands: Any, residuals: Any, out: Any) -> Any:
        order = 1 + (operands.order if type(operands) is Entry else max(entry.order for entry in operands))
        if type(out) is not tuple:
            return Tracer(out, self, Entry(link, operands, residuals, order, spec_of(out)))
        whole = Entry(link, operands, residuals, order, tuple(map(spec_of, out)))
        return tuple(
            Tracer(part, self, Entry(Result(index), whole, None, order + 1, whole.spec[index]))
            for index, part in enumerate(out)
        )


class Composition(Own):
    """A function that is recorded while it runs.

    Args:
        fun: a function of arrays that returns an array or a tuple of arrays.
        operation: its operands.
    """

    __slots__ = ("entries", "fun", "inputs", "outs", "positions", "whole")

    def __init__(self, fun: Callable[..., Any], operation: Operands) -> None:
        self.fun = fun
        self.entries = operation.entries
        self.positions = operation.positions
        self.inputs: list[Entry] = []
        self.outs: list[Any] = []  # an entry for each result, None where it depends on no operand
        self.whole = False  # whether the operands are integers

    def run(self, *values: Any) -> Any:
        """What the function returns, no longer traced."""
        if not self.positions:
            return self.fun(*values)
        self.whole = values[self.positions[0]].dtype.kind not in "fc"
        recording = ComposingWholeNumbers() if self.whole else Composing()
        traced = list(values)
        for position in self.positions:
            traced[position] = tracer = recording.input(values[position])
            self.inputs.append(tracer.slot)
        try:
            out = self.fun(*traced)
        finally:
            recording.close()
        if type(out) is tuple:
            return tuple([self.released(part, recording) for part in out])
        return self.released(out, recording)

    def released(self, out: Any, recording: Composing) -> Any:
        """The value of a result, of whose entry note is taken."""
        if isinstance(out, Traced):
            out = out.seen_from(recording.level)
            if isinstance(out, Tracer) and out.recording is recording:
                self.outs.append(out.slot)
                return out.primal
        self.outs.append(None)
        return out

    def with_graph(self) -> Composition | WithGraph:
        return self if self.whole else WithGraph(self)  # what moves integers does the same to Variables

    def pull(self, g: Any) -> Any:
        """The cotangents of the operands, as arrays."""
        if not self.positions:
            return []
        parts = g if type(g) is list else (g,)
        seeds = [
            (entry, unmasked(part))
            for entry, part in zip(self.outs, parts, strict=True)
            if entry is not None and part is not None
        ]
        found = read_backwards(seeds)
        cts = [found.get(entry) for entry in self.inputs]
        return cts[0] if len(cts) == 1 else cts


class WithGraph(NamedTuple):
    """A composition of which the cotangents are wanted as Variables."""

    composition: Composition

    def pull(self, g: Any) -> Any:
        """The cotangents of the operands, as Variables: the function is run again, on Variables."""
        composition = self.composition
        if not composition.positions:
            return []
        values = [entry.data if type(entry) is VariableNode else entry for entry in composition.entries]
        parts = g if type(g) is list else [g]
        wanted = [
            index
            for index, (entry, part) in enumerate(zip(composition.outs, parts, strict=True))
            if entry is not None and part is not None
        ]

        def run(*selected: Any) -> Any:
            full = list(values)
            for position, value in zip(composition.positions, selected, strict=True):
                full[position] = value
            out = composition.fun(*full)
            return tuple((out if type(out) is tuple else (out,))[index] for index in wanted)

        operands = [composition.entries[position].get_variable() for position in composition.positions]
        cts = vjp(run, *operands)[1](tuple(unmasked(parts[index]) for index in wanted))
        return cts[0] if len(cts) == 1 else cts


class CompositionLink:
    """The link of nodes that are compositions.

    Args:
        label: the name of the function.
        positions: which operands are differentiated.
    """

    __slots__ = ("arity", "name", "positions", "primitive")
    special = elementwise = moves = adds = adds_selected = False
    partial = True
    kept = (-1,)
    facts = NO_FACTS

    def __init__(self, label: str, positions: tuple[int, ...]) -> None:
        self.name = label
        self.primitive = self
        self.positions = positions
        self.arity = len(positions)

    def pull(self, g: Any, residuals: Composition | WithGraph) -> Any:
        return residuals.pull(g)


composition_link = lru_cache(maxsize=4096)(CompositionLink)
"""The link of a label and positions."""
