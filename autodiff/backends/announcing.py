"""A version of a program's function that says of each output when it is there, while the others are computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from autodiff.backends.choice import Backend
from autodiff.backends.reports.timed import moved
from autodiff.backends.straight import FILE, Run, Scope, Straight
from autodiff.trace.formats.text import identifier
from autodiff.trace.syntax import parse
from autodiff.trace.tape import Tape


class Listener(Protocol):
    """Who is told how far a program is."""

    def ready(self, place: int, value: Any) -> None:
        """The output of some number is there, and stays as it is."""

    def between(self) -> None:
        """An operation is done."""


class Announcing(Straight):
    """A straight-line function that tells a listener of each output and after each operation.

    Args:
        tape: a tape without constants.
        backend: of the bodies of its loops and branches.
        planned: whether memory is planned.
        told: who is told; the last one is.
    """

    def __init__(self, tape: Tape, backend: Backend, planned: bool = True, told: list[Listener] | None = None) -> None:
        self.told: list[Listener] = [] if told is None else told
        super().__init__(tape, backend, planned=planned)

    def run_for(self, listener: Listener, values: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs for plain values. Those that are inputs are there before all others."""
        self.told.append(listener)
        try:
            for place, out in enumerate(self.tape.outputs):
                if isinstance(out, int) and out < len(values):
                    listener.ready(place, values[out])
            return self.run(*values)
        finally:
            self.told.pop()

    def plain(self, *values: Any) -> tuple[Any, ...]:
        """The outputs where nothing is written to given memory."""
        if self.unplanned is None:
            self.unplanned = Announcing(self.tape, self.backend, planned=False, told=self.told)
        return self.unplanned.run(*values)

    def executed(self, scope: Scope) -> Run:
        """The function that the text defines, with what is said."""
        told = self.told
        scope.update(
            _ready=lambda place, value: told[-1].ready(place, value),
            _between=lambda: told[-1].between(),
        )
        tree = parse(self.source)
        (function,) = tree.body
        assert isinstance(function, ast.FunctionDef)
        function.body = [part for line in function.body for part in self.announced(line)]
        exec(compile(tree, FILE, "exec"), scope)
        run: Run = scope["run"]
        return run

    def announced(self, line: ast.stmt) -> Iterator[ast.stmt]:
        """A line, and what is said after it where it is an operation."""
        yield line
        equation = self.equations.get(line.lineno)
        if equation is None:
            return
        for place, out in enumerate(self.tape.outputs):
            if isinstance(out, int) and out in equation.results:
                yield from moved(f"_ready({place}, {identifier(out)})", line)
        yield from moved("_between()", line)
