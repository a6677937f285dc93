"""Programs with something left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.printing import eager_function_of
from autodiff.testing.fuzz.program import Function, Input, Line, Program, names_in

Case = tuple[Program, Draw]


def smaller_programs(program: Program, draw: Draw) -> Iterator[Case]:
    """Programs with fewer results, statements, arguments and elements.

    A value on which the rest depends can become an argument: so a long program shrinks to the operations that matter.
    """
    main = program.main
    for result in main.results if len(main.results) > 1 else ():
        yield trimmed(replace(program, main=replace(main, results=(result,))), draw)
    yield from _hoisted(program, draw)
    for function in _without_a_line(main):
        yield trimmed(replace(program, main=function), draw)
    yield from _shorter(program, draw)
    for function in _with_simpler_bodies(main):
        yield trimmed(replace(program, main=function), draw)
    yield from _earlier_results(program, draw)


def _hoisted(program: Program, draw: Draw) -> Iterator[Case]:
    """Statements up to one of them left out: what they made becomes an argument. The last ones are tried first."""
    main = program.main
    known = snapshots(program, draw)
    for place in range(len(main.lines) - 1, -1, -1):
        needed = set().union(*(line.names() for line in main.lines[place + 1 :]), *map(names_in, main.results))
        made = [name for line in main.lines[: place + 1] for name in line.makes if name in needed]
        if known is None or place not in known or not all(name in known[place] for name in made):
            continue
        values = [known[place][name] for name in made]
        if not all(isinstance(value, np.ndarray | np.generic | bool | int | float | complex) for value in values):
            continue
        inputs = [Input(name, np.shape(value), np.asarray(value).dtype.name) for name, value in zip(made, values)]
        lines = main.lines[place + 1 :]
        function = replace(main, parameters=(*main.parameters, *made), lines=lines)
        arguments = (*draw.arguments, *map(Argument, values))
        yield trimmed(
            replace(program, inputs=(*program.inputs, *inputs), main=function), replace(draw, arguments=arguments)
        )


def snapshots(program: Program, draw: Draw) -> dict[int, dict[str, Any]] | None:
    """What all names stand for after each of the statements of the main function; None where it raises."""
    found: dict[int, dict[str, Any]] = {}
    main = program.main
    kept = replace(
        main, lines=tuple(part for k, line in enumerate(main.lines) for part in (line, Line(f"keep({k}, locals())")))
    )
    function = eager_function_of(replace(program, main=kept), tuple(one.laid_out() for one in draw.constants))

    def keep(place: int, names: dict[str, Any]) -> None:
        found[place] = {name: np.copy(v) if isinstance(v, np.ndarray) else v for name, v in names.items()}

    function.__globals__["keep"] = keep
    try:
        function(*(one.laid_out() for one in draw.arguments))
    except Exception:  # then nothing is known, and the program shrinks by other ways
        return None
    return found


def _without_a_line(function: Function) -> Iterator[Function]:
    """One statement left out; where others need what it makes, they get one of its operands instead."""
    for place in range(len(function.lines) - 1, -1, -1):
        line = function.lines[place]
        rest = replace(function, lines=function.lines[:place] + function.lines[place + 1 :])
        if not line.makes:
            yield rest
            continue
        for operand in sorted(names_in(line.text) - set(line.makes)):
            now = rest
            for name in line.makes:
                now = now.renamed(name, operand)
            yield now


def _with_simpler_bodies(function: Function) -> Iterator[Function]:
    """The same of the functions inside."""
    for place, line in enumerate(function.lines):
        for number, body in enumerate(line.bodies):
            for simpler in (*_without_a_line(body), *_with_simpler_bodies(body)):
                bodies = (*line.bodies[:number], simpler, *line.bodies[number + 1 :])
                lines = (*function.lines[:place], replace(line, bodies=bodies), *function.lines[place + 1 :])
                yield replace(function, lines=lines)


def _earlier_results(program: Program, draw: Draw) -> Iterator[Case]:
    """An operand of the last statement in the place of the result."""
    main = program.main
    if len(main.results) == 1 and main.lines:
        for operand in sorted(main.lines[-1].names() - set(main.results)):
            yield trimmed(replace(program, main=replace(main, results=(operand,))), draw)


def _shorter(program: Program, draw: Draw) -> Iterator[Case]:
    """All axes of one length cut to one element, two, or half."""
    everything = (*draw.arguments, *draw.constants)
    lengths = sorted({n for one in everything for n in np.shape(one.value) if n > 1}, reverse=True)
    for length in lengths:
        for new in sorted({1, 2, length // 2} - {length}):
            yield (
                program,
                Draw(
                    tuple(_cut(one, length, new) for one in draw.arguments),
                    tuple(_cut(one, length, new) for one in draw.constants),
                ),
            )


def _cut(argument: Argument, length: int, new: int) -> Argument:
    value = argument.value
    if not isinstance(value, np.ndarray) or length not in value.shape:
        return argument
    return replace(argument, value=value[tuple(slice(new) if n == length else slice(None) for n in value.shape)].copy())


def trimmed(program: Program, draw: Draw) -> Case:
    """Without statements that no result needs, and without arguments that nothing reads."""
    main = without_dead_lines(program.main)
    used = set().union(*(line.names() for line in main.lines), *map(names_in, main.results))
    inputs = [k for k, one in enumerate(program.inputs) if one.name in used]
    constants = [k for k, one in enumerate(program.constants) if one.name in used]
    main = replace(main, parameters=tuple(program.inputs[k].name for k in inputs))
    return (
        replace(
            program,
            inputs=tuple(program.inputs[k] for k in inputs),
            constants=tuple(program.constants[k] for k in constants),
            main=main,
        ),
        Draw(tuple(draw.arguments[k] for k in inputs), tuple(draw.constants[k] for k in constants)),
    )


def without_dead_lines(function: Function) -> Function:
    """Without statements that no result needs; writes stay as long as anything reads an array they may reach."""
    needed = set().union(*map(names_in, function.results))
    kept: list[Line] = []
    for line in reversed(function.lines):
        writes = line.changes and _reaches(line.changes, function, needed)
        if writes or not needed.isdisjoint(line.makes):
            bodies = tuple(map(without_dead_lines, line.bodies))
            kept.append(replace(line, bodies=bodies))
            needed |= kept[-1].names()
    return replace(function, lines=tuple(reversed(kept)))


def _reaches(name: str, function: Function, needed: set[str]) -> bool:
    """Whether what is written to the array of a name may be read through one of the needed names."""
    family = {name}
    for _ in range(2):
        for line in function.lines:
            names = names_in(line.text)
            if line.kind == "view" and not family.isdisjoint(names):
                family |= names
    return not family.isdisjoint(needed)
