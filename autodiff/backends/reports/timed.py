"""A second version of a program's function, which notes how long each of its statements takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from time import perf_counter_ns
from typing import Any

from autodiff.backends.reports.counts import Count
from autodiff.backends.reports.plan import Plan, Statement, plan
from autodiff.backends.reports.profile import Entry, begin, note, running
from autodiff.backends.reports.sources import names_of
from autodiff.backends.straight import FILE, Run, Straight
from autodiff.trace.formats.python import identifier
from autodiff.trace.tape import Tape


class Timed:
    """The functions of a program and of its bodies that note what they do in all open profiles.

    Args:
        tape: the program, without constants.
        backend: that runs it.
        name: of the program.

    Attributes:
        run: the function.
    """

    def __init__(self, tape: Tape, backend: str, name: str) -> None:
        self.backend, self.name = backend, name
        self.whole = Entry(name, "program", name, "", Count())
        self.inner = self.body(tape)

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

    def body(self, tape: Tape) -> Run:
        """The straight-line function of a tape, with the clock read around its statements."""
        found = plan(tape, self.backend)
        straight = Straight(found.tape, self.backend)
        scope = dict(straight.run.__globals__)
        scope.update(_clock=perf_counter_ns, _begin=begin, _note=note)
        tree = ast.parse(straight.source)
        (function,) = tree.body
        assert isinstance(function, ast.FunctionDef)
        function.body = list(self.watched(function.body, found, scope))
        exec(compile(tree, FILE, "exec"), scope)
        return straight.entered(scope["run"])

    def watched(self, body: list[ast.stmt], found: Plan, scope: dict[str, Any]) -> Iterator[ast.stmt]:
        """The statements of a function, with notes where they are operations of the program."""
        operations = {identifier(s.equation.results[0]): s for s in found.statements if s.equation.results}
        for line in body:
            statement = operations.get(target(line))
            if statement is None or not isinstance(line, ast.Assign):
                yield line
                continue
            number = len(scope)
            scope[f"_entry{number}"] = self.entry(statement)
            if statement.compiles:
                assert isinstance(line.value, ast.Call)
                assert isinstance(line.value.func, ast.Name)
                scope[line.value.func.id] = self.loop(statement)
            yield from moved("_begin(); _start = _clock()", line)
            yield line
            yield from moved(f"_note(_entry{number}, _start, _clock())", line)

    def loop(self, statement: Statement) -> Any:
        """The function of a loop or branch whose bodies are watched."""
        primitive: Any = statement.equation.primitive
        return primitive.compiled(partial(Timed.body, self), **dict(statement.equation.params))

    def entry(self, statement: Statement) -> Entry:
        """The row of a statement; what is done in a loop is in the rows of its bodies."""
        name = statement.equation.primitive.name
        if statement.kind == "kernel":
            name = names_of(statement.tape)
        own = Count() if statement.bodies else statement.count
        return Entry(self.name, statement.kind, name, statement.source, own)


def target(line: ast.stmt) -> str:
    """The first name that a statement assigns to."""
    if isinstance(line, ast.Assign):
        (left,) = line.targets
        if isinstance(left, ast.Tuple) and left.elts:
            left = left.elts[0]
        if isinstance(left, ast.Name):
            return left.id
    return ""


def moved(text: str, line: ast.stmt) -> list[ast.stmt]:
    """Statements that stand on the line of another one, so that errors name the same line as without them."""
    made = ast.parse(text).body
    for statement in made:
        for node in ast.walk(statement):
            ast.copy_location(node, line)
    return made
