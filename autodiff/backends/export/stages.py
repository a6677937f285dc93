"""What each kernel is made of where no Python stands around it: kernels one after another, on memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autodiff.backends.export import parts
from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.finishing import Columns, Number, Step, Transposed, Turned
from autodiff.backends.kernels.launching import KernelLaunch
from autodiff.backends.kernels.primitive import HostKernel
from autodiff.backends.kernels.roles import STATUS, Role
from autodiff.trace.tape import Equation


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
        work: the bytes of each piece of memory to work in, by its role.
    """

    stages: Sequence[Stage]
    work: dict[Role, int]


def stages_of(equation: Equation) -> Stages:
    """The kernels of an operation that is one."""
    assert isinstance(equation.primitive, HostKernel)
    call = equation.primitive.describe(**dict(equation.params))
    own = Stage(call.launch, call.roles, call.notes)
    work = {role: (a.size or 0) * a.dtype.itemsize for role, a in call.work.items() if role != STATUS}
    return Stages((*around(call, call.before), own, *around(call, call.after)), work)


def around(call: KernelCall, steps: Sequence[Step]) -> Iterator[Stage]:
    """What is done before or after a kernel, as kernels; all numbers by one."""
    numbers = [step for step in steps if isinstance(step, Number)]
    if numbers:
        yield numbers_of(call, numbers)
    for step in steps:
        if isinstance(step, Columns):
            own, out = call.work[step.work], call.outputs[step.result]
            launch = parts.columns(step.count, out.size, own.dtype, out.dtype)
            yield Stage(launch, (step.work, ("result", step.result)))
        elif isinstance(step, Transposed):
            launch = parts.swapped(step.count, step.sizes, call.outputs[step.result].dtype)
            yield Stage(launch, (step.work, ("result", step.result)))
        elif isinstance(step, Turned):
            launch = parts.turned(step, call.inputs[step.operand].dtype)
            yield Stage(launch, (("operand", step.operand), step.work))


def numbers_of(call: KernelCall, numbers: Sequence[Number]) -> Stage:
    """What takes numbers to their places."""
    work = list(dict.fromkeys(number.work for number in numbers))
    launch = parts.numbers(numbers, {role: call.work[role] for role in work}, call.outputs)
    return Stage(launch, (*work, *(("result", number.result) for number in numbers)))
