"""A program as plain data: what the fuzzer makes, prints, saves and shrinks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["rounds", "exact", "view"]


@dataclass(frozen=True)
class Line:
    """A statement.

    Attributes:
        text: Python source, such as ``v3 = np.sum(v1, axis=0)``.
        makes: the names that it binds; every name is bound once.
        changes: the array that it writes into, or "".
        kind: whether the result was rounded, is exact (selected, moved, counted), or may share memory with an operand.
        mixes: the operands whose elements meet in a sum: their rounding errors are relative to the largest of them.
        bodies: functions that stand before the statement.
    """

    text: str
    makes: tuple[str, ...] = ()
    changes: str = ""
    kind: Kind = "rounds"
    mixes: tuple[str, ...] = ()
    bodies: tuple[Function, ...] = ()

    def names(self) -> set[str]:
        """All names that occur in it or in its bodies."""
        found = names_in(self.text)
        for body in self.bodies:
            for line in body.lines:
                found |= line.names()
            found.update(body.results)
        return found

    def renamed(self, old: str, new: str) -> Line:
        """The same with another name in the place of one."""
        return replace(
            self,
            text=re.sub(rf"\b{old}\b", new, self.text),
            makes=tuple(new if name == old else name for name in self.makes),
            changes=new if self.changes == old else self.changes,
            mixes=tuple(new if name == old else name for name in self.mixes),
            bodies=tuple(body.renamed(old, new) for body in self.bodies),
        )


@dataclass(frozen=True)
class Function:
    """A function: its parameters, statements and results (one, or a tuple of several)."""

    name: str
    parameters: tuple[str, ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]

    def renamed(self, old: str, new: str) -> Function:
        """The same with another name in the place of one; results may be small expressions."""
        return replace(
            self,
            lines=tuple(line.renamed(old, new) for line in self.lines),
            results=tuple(re.sub(rf"\b{old}\b", new, result) for result in self.results),
        )


@dataclass(frozen=True)
class Input:
    """An argument or a closed-over array.

    Attributes:
        name: of the parameter.
        dims: its axes: letters stand for lengths that are drawn, numbers for themselves.
        dtype: of the array.
        form: "array", or "numpy scalar" or "python scalar" where there are no axes.
    """

    name: str
    dims: tuple[str | int, ...]
    dtype: str
    form: str = "array"

    def shape(self, sizes: dict[str, int]) -> tuple[int, ...]:
        """The shape, once lengths are drawn."""
        return tuple(sizes[dim] if isinstance(dim, str) else dim for dim in self.dims)


@dataclass(frozen=True)
class Program:
    """A function of some arguments that closes over some arrays.

    Attributes:
        seed: what it was made from.
        inputs: its arguments.
        constants: the arrays that it closes over.
        main: the function, named ``f``.
        operations: functions of users by the names that it calls them by.
    """

    seed: int
    inputs: tuple[Input, ...]
    constants: tuple[Input, ...]
    main: Function
    operations: tuple[tuple[str, Callable[..., Any]], ...] = ()


def names_in(text: str) -> set[str]:
    """The names of values in a piece of source: a letter of x, c, v, a and a number."""
    return set(re.findall(r"\b[xcva]\d+\b", text))


def stable(program: Program) -> Program:
    """The program with log(1 + exp(x)) written so that it does not overflow."""
    return replace(program, main=_stable_function(program.main))


def _stable_function(function: Function) -> Function:
    lines = tuple(
        replace(
            line,
            text=re.sub(r"np\.log1p\(np\.exp\((\w+)\)\)", r"np.logaddexp(0, \1)", line.text),
            bodies=tuple(map(_stable_function, line.bodies)),
        )
        for line in function.lines
    )
    return replace(function, lines=lines)


def every_line(function: Function) -> Iterator[Line]:
    """All statements, those of bodies before the statement that they belong to."""
    for line in function.lines:
        for body in line.bodies:
            yield from every_line(body)
        yield line


def program_from(data: dict[str, Any]) -> Program:
    """The program that :func:`dataclasses.asdict` took apart, perhaps by way of JSON."""
    inputs, constants = (
        tuple(Input(one["name"], tuple(one["dims"]), one["dtype"], one["form"]) for one in data[part])
        for part in ("inputs", "constants")
    )
    return Program(data["seed"], inputs, constants, _function_from(data["main"]))


def _function_from(data: dict[str, Any]) -> Function:
    lines = tuple(
        Line(
            one["text"],
            tuple(one["makes"]),
            one["changes"],
            one["kind"],
            tuple(one["mixes"]),
            tuple(map(_function_from, one["bodies"])),
        )
        for one in data["lines"]
    )
    return Function(data["name"], tuple(data["parameters"]), lines, tuple(data["results"]))
