"""The kernel of a whole program, and the operation on a tape that stands for it."""

from __future__ import annotations

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.finishing import Number, Step
from autodiff.backends.kernels.launching import Argument, ArrayArgument, KernelLaunch, NumberArgument, operand_argument
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs
from autodiff.backends.kernels.programs.calling_out import Hook
from autodiff.backends.kernels.programs.emitter import BLOCK
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.roles import HOOK, STATUS, Role
from autodiff.trace.tape import Equation, Tape

PARTS = 8
"""Rows are handed to threads in so many parts, whatever the number of threads: so results repeat."""

LONG = 20_000
"""Operations from which on other Python threads may run meanwhile."""


def whole_call(*, tape: Tape, rows: int | None = None) -> KernelCall:
    """The kernel of a whole program.

    Its block has the operands, the results that are arrays, four words for memory (floating-point numbers among the
    results, whole ones, memory to work in, the number of an error), the rows of a part, and what it calls out to.

    Args:
        tape: the program.
        rows: how many rows threads share; None where they share none.
    """
    kernel, outs = whole_kernel(tape, rows), tape.output_specs
    chunk = 1 if rows is None else max(BLOCK, -(-rows // (PARTS * BLOCK)) * BLOCK)
    parts = 1 if rows is None else -(-rows // chunk)
    arguments: list[Argument] = [operand_argument(word, own) for word, own in enumerate(tape.inputs)]
    roles: list[Role] = [("operand", k) for k in range(len(tape.inputs))]
    for k, own in enumerate(outs):
        if own.kind == "array":
            arguments.append(ArrayArgument(len(arguments), own.dtype, True, size=own.size))
            roles.append(("result", k))
    first = len(arguments)
    after: list[Step] = []
    works = 0
    for word, (dtype, real) in enumerate((("f8", True), ("i8", False)), first):
        places = [k for k, own in enumerate(outs) if own.kind != "array" and (own.dtype.kind == "f") is real]
        if places:
            role, each = ("work", works), parts if real else 1
            size = len(places) * each
            arguments.append(ArrayArgument(word, np.dtype(dtype), True, size=size))
            roles.append(role)
            works += 1
            for place, k in enumerate(places):
                after.append(Number(k, role, np.dtype(dtype), range(place, size, len(places))))
    if kernel.memory:
        arguments.append(ArrayArgument(first + 2, np.dtype("u1"), True, size=kernel.memory * parts, scratch=True))
        roles.append(("work", works))
    if kernel.checks:
        arguments.append(ArrayArgument(first + 3, np.dtype("i8"), True, size=1, met=True))
        roles.append(STATUS)
    hook = Hook(kernel.called_out, kernel.memory) if kernel.called_out else None
    if hook is not None:
        arguments.append(NumberArgument(first + 5, "int"))
        roles.append(HOOK)
    launch = KernelLaunch(
        kernel.text,
        [0] * (first + 4) + [chunk] + [0] * (hook is not None),
        arguments,
        rows=rows or 1,
        chunk=chunk,
        parallel=parts > 1,
        release=parts > 1 or len(kernel.text) + kernel.memory > LONG,
        name="a kernel of a whole program",
        rooms=kernel.rooms,
    )
    return KernelCall(launch, roles, tape.inputs, outs, after=after, notes=kernel.notes, hook=hook)


def notes_of(*, tape: Tape, rows: int | None = None) -> tuple[str, ...]:
    """The errors that a kernel may ask for, with the user's lines."""
    return whole_kernel(tape, rows).lines


whole = HostKernel("kernel_of_all", whole_call, told=notes_of)


def whole_equation(tape: Tape, rows: int | None = None) -> Equation:
    """The operation that stands for a whole program."""
    inputs = tuple(range(len(tape.inputs)))
    specs = kernel_specs(tape)
    results = tuple(range(len(inputs), len(inputs) + len(specs)))
    params = (("tape", tape),) if rows is None else (("rows", rows), ("tape", tape))
    return Equation(whole, inputs, params, results, specs)
