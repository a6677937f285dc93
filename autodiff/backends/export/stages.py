"""What each kind of kernel is made of where no Python stands around it: kernels one after another, on memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.backends.export import parts
from autodiff.backends.kernels.call import RowCall, rows
from autodiff.backends.kernels.forms import TOTAL, Shape
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch
from autodiff.backends.kernels.products.convolution_call import ConvolutionCall, convolutions
from autodiff.backends.kernels.products.matrices import MatrixCall, matrices
from autodiff.backends.kernels.products.stacks import StackCall, stacks
from autodiff.backends.kernels.programs.call import SHARED, WholeCall, whole
from autodiff.backends.kernels.rows.gathers import PickCall, picks
from autodiff.backends.kernels.windows.pooling import WindowCall, window_kernels
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Equation, Tape

Role = tuple[str, int]
"""What an argument of a kernel is: ``("operand", k)``, ``("result", k)``, ``("work", k)`` or ``STATUS``."""

STATUS: Role = "status", 0


@dataclass(frozen=True)
class Stage:
    """One kernel.

    Attributes:
        launch: the kernel, and how it is run.
        roles: of its arguments.
        notes: the errors that it may ask for, by numbers from 2 on.
    """

    launch: KernelLaunch
    roles: Sequence[Role]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Stages:
    """What does the work of one operation.

    Attributes:
        stages: in their order.
        work: the bytes of each piece of memory to work in.
    """

    stages: Sequence[Stage]
    work: Sequence[int] = ()


def stages_of(equation: Equation) -> Stages:
    """The kernels of an operation that is one."""
    return MAKERS[equation.primitive](**dict(equation.params))


def of_rows(*, tape: Tape, shape: Shape) -> Stages:
    """A kernel of rows, and what puts its sums together."""
    call = RowCall(tape, shape)
    kernel, memory = call.kernel, call.memory
    roles: list[Role] = []
    work: list[int] = []
    folds: list[Stage] = []
    for a in kernel.arguments:
        if a.role == "size":
            continue
        if a.role == "input":
            roles.append(("operand", a.slot))
        elif a.role == "status":
            roles.append(STATUS)
        elif a.role == "scratch" or a.slot in memory.parts:
            roles.append(("work", len(work)))
            assert a.dtype is not None
            work.append(memory.size(a) * a.dtype.itemsize)
        else:
            roles.append(("result", tape.outputs.index(a.slot)))
        if a.role != "scratch" and a.slot in memory.parts:
            own, out = memory.parts[a.slot], kernel.specs[a.slot]
            if kernel.forms[a.slot] == TOTAL:
                launch = parts.total(call.fold_of(a.slot), own.size, own.dtype, out.dtype)
            else:
                launch = parts.columns(own.shape[0], own.shape[1], own.dtype, out.dtype)
            folds.append(Stage(launch, (roles[-1], ("result", tape.outputs.index(a.slot)))))
    return Stages((Stage(call.kernel_launch, roles), *folds), work)


def of_whole(*, tape: Tape, rows: int | None = None) -> Stages:
    """The kernel of a whole program, and what takes its numbers to their places."""
    call = WholeCall(tape, rows)
    count, first = len(tape.inputs), len(tape.inputs) + len(call.arrays)
    roles: list[Role] = [("operand", k) for k in range(count)] + [("result", k) for k in call.arrays]
    work: list[int] = []
    kept: dict[str, Role] = {}
    sizes: dict[str, int] = {}
    for argument in call.kernel_launch.arguments[first:]:
        assert isinstance(argument, ArrayArgument)
        name = SHARED[argument.word - first]
        if name == "status":
            roles.append(STATUS)
            continue
        roles.append(("work", len(work)))
        assert argument.size is not None
        work.append(argument.size * argument.dtype.itemsize)
        if name != "memory":
            kept[name], sizes[name] = roles[-1], argument.size
    found = [Stage(call.kernel_launch, roles, call.kernel.notes)]
    if kept:
        wanted, targets = [], []
        for name, places in (("reals", call.reals), ("integers", call.integers)):
            for place, k in enumerate(places):
                several = range(place, sizes[name], len(places)) if call.parts > 1 else (place,)
                wanted.append((name, several, tape.output_specs[k].dtype))
                targets.append(("result", k))
        found.append(Stage(parts.numbers(wanted, sizes), (*kept.values(), *targets)))
    return Stages(found, work)


def of_call(call: Any, operands: Sequence[int]) -> Stages:
    """A kernel that takes operands, fills results, and works in memory, in this order."""
    roles: list[Role] = []
    work: list[int] = []
    results = 0
    for argument in call.kernel_launch.arguments:
        if not argument.writeable:
            roles.append(("operand", operands[len(roles)]))
        elif argument.scratch:
            roles.append(("work", len(work)))
            work.append(argument.size)
        elif argument.met and argument.dtype == np.int64:
            roles.append(STATUS)
        else:
            roles.append(("result", results))
            results += 1
    return Stages((Stage(call.kernel_launch, roles),), work)


def of_matrices(*, tape: Tape) -> Stages:
    """A product of large matrices."""
    call = MatrixCall(tape)
    return of_call(call, call.bases)


def of_one(make: Callable[[Tape], Any]) -> Callable[..., Stages]:
    """A kernel that takes its operands in their order."""
    return lambda *, tape: of_call(make(tape), range(len(tape.inputs)))


def of_convolution(*, tape: Tape) -> Stages:
    """A convolution, or one of its gradients, with what turns kernels round before it or adds up parts after it."""
    call = ConvolutionCall(tape)
    kind, layout, dtype = call.kernel.kind, call.kernel.layout, tape.output_specs[0].dtype
    places: dict[int, Role] = {0: ("operand", 0), 1: ("operand", 1), 2: ("result", 0)}
    if kind == "to_input":
        places = {0: ("result", 0), 1: ("operand", 1), 2: ("operand", 0)}
    work: list[int] = []
    before: list[Stage] = []
    after: list[Stage] = []
    if kind == "turned":
        sizes = layout.groups, layout.channels, layout.outputs, layout.kernel[0] * layout.kernel[1]
        places[1] = ("work", 0)
        work.append(tape.inputs[1].size * dtype.itemsize)
        before.append(Stage(parts.turned(sizes, dtype), (("operand", 1), places[1])))
    elif kind == "to_kernel":
        places[2] = ("work", 0)
        work.append(call.size(2) * dtype.itemsize)
        after.append(Stage(parts.swapped(layout.parts, call.sums, dtype), (places[2], ("result", 0))))
    for argument in call.kernel_launch.arguments[3:]:
        assert isinstance(argument, ArrayArgument)
        places[argument.word] = ("work", len(work))
        work.append(argument.size or 0)
    roles = [places[argument.word] for argument in call.kernel_launch.arguments]
    return Stages((*before, Stage(call.kernel_launch, roles), *after), work)


MAKERS: dict[Primitive, Callable[..., Stages]] = {
    rows: of_rows,
    whole: of_whole,
    matrices: of_matrices,
    stacks: of_one(StackCall),
    picks: of_one(PickCall),
    window_kernels: of_one(WindowCall),
    convolutions: of_convolution,
}
