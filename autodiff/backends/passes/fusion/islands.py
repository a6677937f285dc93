"""Kernels around operations that have no form in kernels: an island costs itself, and not what lies around it.

Operations between which no island lies are a level: what needs nothing of an island is the first one, what needs an
island of the first level belongs to the second, and so on. Each level that one kernel does in less time than kernels
of rows and functions of NumPy becomes that kernel, loops and branches included; the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.backends.kernels.forms import VIEWS
from autodiff.backends.kernels.programs.call import whole
from autodiff.backends.kernels.programs.program import WholeKernel
from autodiff.backends.kernels.programs.scope import HANDLERS
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.backends.kernels.scalars import DTYPES
from autodiff.backends.passes.fusion.fuse import sub_tape
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, inner_tapes, ordered

Kernel = Callable[[Tape], WholeKernel | None]
"""The kernel of a part of a program; None where it is not worth one."""

TRIES = 8
"""So many operations are found by trying to have no form; a program with more stays as it is."""


def around_islands(tape: Tape, island: int | None, kernel: Kernel) -> Tape:
    """A tape with a kernel in the place of every level of operations that is worth one.

    Args:
        tape: a program that is not one kernel.
        island: which of its operations has no form in kernels, as far as is known.
        kernel: makes the kernel of a level; it raises Impossible.

    Returns:
        the tape itself where no level is worth a kernel.
    """
    if len(tape.equations) == 1:
        return tape
    islands = {k for k, equation in enumerate(tape.equations) if has_no_form(equation)}
    if island is not None:
        islands.add(island)
    if not islands:
        return tape  # its one level is itself
    for _ in range(TRIES):
        found = levels(tape, islands)
        made: list[Equation | None] = []
        before = len(islands)
        for level in found:
            try:
                made.append(kernel_of_level(tape, level, kernel))
            except Impossible as reason:
                made.append(None)
                if reason.position is not None:
                    islands.add(level[reason.position])
        if len(islands) == before:
            return with_kernels(tape, found, islands, made) if any(made) else tape
    return tape


def has_no_form(equation: Equation) -> bool:
    """Whether an operation is an island at first sight."""
    name, family = equation.primitive.name, equation.primitive.family
    known = name in HANDLERS or family == "elementwise"
    fits = all(one.dtype in DTYPES and 0 not in one.shape for one in equation.specs)
    return not (known and fits) or ordered(equation)


def levels(tape: Tape, islands: set[int]) -> list[list[int]]:
    """The positions of the operations of each level, without islands."""
    level: dict[int, int] = {}
    found: list[list[int]] = []
    for k, equation in enumerate(tape.equations):
        own = max((level[o] for o in equation.operands if isinstance(o, int) and o in level), default=0)
        if k not in islands:
            found += [[] for _ in range(own + 1 - len(found))]
            found[own].append(k)
        level.update(dict.fromkeys(equation.results, own + (k in islands)))
    return found


def kernel_of_level(tape: Tape, level: list[int], kernel: Kernel) -> Equation | None:
    """The kernel of a level; None where it is not worth one.

    Raises:
        Impossible: if one of its operations has no form in kernels, with its position in the level.
    """
    equations = [tape.equations[k] for k in level]
    working = [e for e in equations if e.primitive.name not in VIEWS]
    if len(working) < 2 and not any(map(inner_tapes, working)):
        return None
    wanted = read_elsewhere(tape, set(level))
    part, brought = sub_tape(equations, wanted, dict(enumerate(tape.specs)))
    found = kernel(part)
    if found is None:
        return None
    rows: tuple[tuple[str, Any], ...] = () if found.rows is None else (("rows", found.rows),)
    return Equation(whole, brought, (*rows, ("tape", part)), tuple(wanted), part.output_specs)


def read_elsewhere(tape: Tape, level: set[int]) -> list[int]:
    """The results of a level that others read, or that the tape returns."""
    read = {out for out in tape.outputs if isinstance(out, int)}
    for k, equation in enumerate(tape.equations):
        if k not in level:
            read.update(o for o in equation.operands if isinstance(o, int))
    return [slot for k in sorted(level) for slot in tape.equations[k].results if slot in read]


def with_kernels(tape: Tape, found: list[list[int]], islands: set[int], made: list[Equation | None]) -> Tape:
    """The tape with levels and islands in turns."""
    level_of = {k: number for number, level in enumerate(found) for k in level}
    number = {slot: slot for slot in range(len(tape.inputs))}
    equations: list[Equation] = []

    def again(operand: Operand) -> Operand:
        return number[operand] if isinstance(operand, int) else operand

    def add(equation: Equation) -> None:
        results = tuple(range(len(number), len(number) + len(equation.results)))
        operands = tuple(map(again, equation.operands))
        specs: tuple[Spec, ...] = equation.specs
        equations.append(Equation(equation.primitive, operands, equation.params, results, specs, equation.source))
        number.update(zip(equation.results, results, strict=True))

    after: dict[int, list[Equation]] = {}
    reached: dict[int, int] = {}
    for k, equation in enumerate(tape.equations):
        if k in islands:
            own = max((reached[o] for o in equation.operands if isinstance(o, int) and o in reached), default=0)
            after.setdefault(own, []).append(equation)
            reached.update(dict.fromkeys(equation.results, own + 1))
        else:
            reached.update(dict.fromkeys(equation.results, level_of[k]))
    for own in range(max(len(found), max(after, default=-1) + 1)):
        kernel = made[own] if own < len(found) else None
        level = found[own] if own < len(found) else []
        for equation in [tape.equations[k] for k in level] if kernel is None else [kernel]:
            add(equation)
        for equation in after.get(own, ()):
            add(equation)
    outputs = tuple(map(again, tape.outputs))
    return Tape(tape.inputs, tuple(equations), outputs, tape.constants, tape.arguments, tape.results)
