"""Kernels of rows: what each fills, and the operation on a tape that stands for one.

Results and memory to work in come with each call (see :class:`~autodiff.backends.kernels.rows.memory.RowMemory`): a
program plans where they lie.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.finishing import Columns, Number, Step
from autodiff.backends.kernels.folds import fold_of
from autodiff.backends.kernels.forms import TOTAL, Shape
from autodiff.backends.kernels.launching import Argument, ArrayArgument, KernelLaunch, operand_argument
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs, plain
from autodiff.backends.kernels.roles import STATUS, Role
from autodiff.backends.kernels.rows import schedule
from autodiff.backends.kernels.rows.memory import RowMemory, Shared, row_kernel_of, row_memory
from autodiff.backends.kernels.rows.text import RowKernel
from autodiff.trace.tape import Equation, Tape

RELEASE = 10_000
"""Nanoseconds of work during which other Python threads may run."""


def row_call(*, shape: Shape, tape: Tape, shared: Shared = ()) -> KernelCall:
    """The kernel of rows of a tape.

    Args:
        shape: of its grid.
        tape: what it computes.
        shared: pairs of an output and the input in whose memory it lies.
    """
    kernel = row_kernel_of(tape, shape, shared)
    memory = RowMemory(kernel)
    place = {slot: k for k, slot in enumerate(tape.outputs)}
    work: dict[str, Role] = {name: ("work", k) for k, name in enumerate(memory.names[len(memory.results) :])}

    def role_of(argument: schedule.Argument) -> Role:
        if argument.role == "input":
            return "operand", argument.slot
        if argument.role == "status":
            return STATUS
        return work.get(memory.name(argument)) or ("result", place[argument.slot])

    after: list[Step] = []
    for slot, own in memory.parts.items():
        role = work[f"part{slot}"]
        if kernel.forms[slot] == TOTAL:
            fold = fold_of(kernel.made[slot])
            after.append(Number(place[slot], role, own.dtype, range(own.size), fold))
        else:
            after.append(Columns(place[slot], role, own.shape[0]))
    share = memory.share
    launch = KernelLaunch(
        kernel.text,
        [share.chunk if a.name == "chunk" else a.value for a in kernel.arguments],
        [argument_of(k, kernel, memory) for k, a in enumerate(kernel.arguments) if a.role != "size"],
        rows=kernel.grid.rows,
        chunk=share.chunk,
        parallel=share.parallel,
        release=share.work > RELEASE,
        name="a kernel of rows",
    )
    return KernelCall(
        launch,
        [role_of(a) for a in kernel.arguments if a.role != "size"],
        tape.inputs,
        tape.output_specs,
        after=after,
        handed=[*(("result", place[slot]) for slot in memory.results), *rest(memory)],
        lying={place[slot]: given for slot, given in kernel.shared.items()},
    )


def rest(memory: RowMemory) -> list[Role]:
    """The roles of what is handed to a kernel of rows after its results."""
    return [*(("work", k) for k in range(len(memory.working))), *(STATUS for _ in memory.status)]


def argument_of(word: int, kernel: RowKernel, memory: RowMemory) -> Argument:
    """What fills a word of the kernel's block."""
    own = kernel.arguments[word]
    if own.role == "input":
        return operand_argument(word, kernel.specs[own.slot], own.slot in kernel.shared.values())
    return ArrayArgument(word, own.dtype, True, size=memory.size(own), met=own.role == "status")


def run_alone(*xs: Any, shape: Shape, tape: Tape) -> tuple[Any, ...]:
    """The results of a kernel of rows in memory of their own."""
    memory = row_memory(tape, shape)
    own = [np.zeros(s.shape, s.dtype) for s in (*memory.results.values(), *memory.working, *memory.status)]
    found: tuple[Any, ...] = rows.made(shape=shape, tape=tape)(*xs, *own)
    return found


def plain_rows(*, shape: Shape, tape: Tape, shared: Shared = ()) -> Callable[..., Any]:
    """The operations of a kernel of rows by NumPy: results are written to the arrays that it is handed for them."""
    own = plain(tape=tape)
    handed = [tape.outputs.index(slot) for slot in row_memory(tape, shape, shared).results]

    def run(*xs: Any) -> tuple[Any, ...]:
        inputs, memory = xs[: len(tape.inputs)], xs[len(tape.inputs) :]
        outs = list(own(*inputs))
        for place, given in zip(handed, memory, strict=False):  # memory to work in comes after them
            given[...] = outs[place]
            outs[place] = given
        return tuple(outs)

    return run


rows = HostKernel("kernel_of_rows", row_call, run=run_alone, otherwise=plain_rows)


def row_kernel(tape: Tape, shape: Shape) -> Equation:
    """The operation that stands for a tape on a grid, without operands and results."""
    sources = [equation.source for equation in tape.equations if equation.source]
    params = (("shape", shape), ("tape", tape))
    return Equation(rows, (), params, (), kernel_specs(tape), sources[-1] if sources else "")
