"""A second version of a program's function, which notes how long each of its statements takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from time import perf_counter_ns
from typing import Any

from autodiff.backends.choice import Backend
from autodiff.backends.reports.counts import Count
from autodiff.backends.reports.entry import Entry
from autodiff.backends.reports.plan import Plan, Statement, plan
from autodiff.backends.reports.profile import begin, note, running
from autodiff.backends.reports.sources import names_of
from autodiff.backends.straight import FILE, Run, Scope, Straight
from autodiff.trace.syntax import parse
from autodiff.trace.tape import Tape


class Timed:
    """The function of a program that notes in all open profiles what it does.

    Args:
        tape: the program, without constants.
        backend: that runs it.
        name: of the program.
        donated: inputs whose memory outputs may take.
    """

    def __init__(self, tape: Tape, backend: Backend, name: str, donated: Sequence[int] = ()) -> None:
        self.whole = Entry(name, "program", name, "", Count())
        self.inner = Watched(plan(tape, backend), backend, name, donated).run

    def run(self, *values: Any) -> tuple[Any, ...]:
        """The outputs."""
        begin()
        depth = len(running.children)
        start = perf_counter_ns()
        try:
            return self.inner(*values)
        finally:
            end = perf_counter_ns()
            del running.children[depth:]  # of statements that raised
            note(self.whole, start, end)


class Watched(Straight):
    """A straight-line function with the clock read around each operation, on the lines where they were.

    Args:
        found: the statements.
        backend: that runs them.
        name: of the program.
        donated: inputs whose memory outputs may take.
        planned: whether memory is planned.
    """

    def __init__(
        self, found: Plan, backend: Backend, name: str, donated: Sequence[int] = (), planned: bool = True
    ) -> None:
        self.found, self.name = found, name
        self.statements = {id(statement.equation): statement for statement in found.statements}
        super().__init__(found.tape, backend, donated, planned)

    def plain(self, *values: Any) -> tuple[Any, ...]:
        """The outputs where nothing is written to given memory."""
        if self.unplanned is None:
            self.unplanned = Watched(self.found, self.backend, self.name, planned=False)
        return self.unplanned.run(*values)

    def executed(self, scope: Scope) -> Run:
        """The function that the text defines, with notes."""
        scope.update(_clock=perf_counter_ns, _begin=begin, _note=note)
        tree = parse(self.source)
        (function,) = tree.body
        assert isinstance(function, ast.FunctionDef)
        function.body = [part for line in function.body for part in self.watched(line, scope)]
        exec(compile(tree, FILE, "exec"), scope)
        run: Run = scope["run"]
        return run

    def watched(self, line: ast.stmt, scope: Scope) -> Iterator[ast.stmt]:
        """A line, with notes around it where it is an operation."""
        equation = self.equations.get(line.lineno)
        if equation is None:
            yield line
            return
        statement = self.statements[id(equation)]
        scope[f"_entry_{line.lineno}"] = self.entry(statement)
        if statement.compiles:
            assert isinstance(line, ast.Assign)
            assert isinstance(line.value, ast.Call)
            assert isinstance(line.value.func, ast.Name)
            scope[line.value.func.id] = self.loop(statement)
        yield from moved("_begin(); _start = _clock()", line)
        yield line
        yield from moved(f"_note(_entry_{line.lineno}, _start, _clock())", line)

    def loop(self, statement: Statement) -> Any:
        """The function of a loop or branch whose bodies are watched."""
        primitive: Any = statement.equation.primitive

        def body(tape: Tape) -> Run:
            return Watched(plan(tape, self.backend), self.backend, self.name).run

        return primitive.compiled(body, **dict(statement.equation.params))

    def entry(self, statement: Statement) -> Entry:
        """The row of a statement; what is done in a loop is in the rows of its bodies."""
        name = names_of(statement.tape) if statement.kind == "kernel" else statement.equation.primitive.name
        own = Count() if statement.bodies else statement.count
        return Entry(self.name, statement.kind, name, statement.source, own)


def moved(text: str, line: ast.stmt) -> list[ast.stmt]:
    """Statements that stand on the line of another one, so that errors name the same line as without them."""
    made = parse(text).body
    for statement in made:
        for node in ast.walk(statement):
            ast.copy_location(node, line)
    return made
