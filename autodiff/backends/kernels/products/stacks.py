"""Stacks of small products as one kernel: threads share the matrices, and views are read where they lie.

NumPy calls BLAS once for each matrix of a stack, which for small ones is mostly the call, and copies or crawls where
matrices do not lie as BLAS wants them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import prod

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.forms import VIEWS, View, steps
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, operand_argument
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs
from autodiff.backends.kernels.products.stack_plan import stack_plan
from autodiff.backends.kernels.products.stack_text import StackText
from autodiff.backends.kernels.roles import Role
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

SMALL, BIG = 256, 1 << 21
"""Matrices of at most so many columns, and second operands of at most so many bytes, are multiplied in place."""

WORK = 50_000
"""Multiplications that are worth a kernel."""


def stacked(first: Spec, second: Spec, out: Spec) -> bool:
    """Whether a product is one of a stack of small matrices."""
    if out.dtype not in (np.float32, np.float64) or not first.dtype == second.dtype == out.dtype or out.ndim < 3:
        return False
    rows, columns, inner = out.shape[-2], out.shape[-1], first.shape[-1]
    lead = prod(out.shape[:-2])
    small = columns <= SMALL and columns * inner * out.dtype.itemsize <= BIG
    return small and lead > 1 and lead * rows * columns * inner >= WORK


def view_of(slot: int, tape: Tape) -> View:
    """Where a value lies in the input that it is a view of."""
    made = {e.results[0]: e for e in tape.equations if e.primitive.name in VIEWS}
    specs = tape.specs
    chain = []
    while slot in made:
        chain.append(made[slot])
        slot = made[slot].operands[0]  # type: ignore[assignment]
    before = np.lib.stride_tricks.as_strided(np.empty(0, np.int8), specs[slot].shape, steps(specs[slot].shape))
    after = before
    for equation in reversed(chain):
        after = equation.primitive.evaluate(after, **dict(equation.params))
    moved = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
    return View(slot, after.strides, moved)


@lru_cache(maxsize=4096)
def stack_text(tape: Tape) -> str:
    """The kernel of a stack of products."""
    return StackText(stack_plan(tape)).text


def stack_call(*, tape: Tape) -> KernelCall:
    """The kernel of a stack of products: the tape has views of inputs, and the product as the last operation."""
    plan = stack_plan(tape)
    arguments = [operand_argument(word, own) for word, own in enumerate(tape.inputs)]
    roles: list[Role] = [("operand", k) for k in range(len(arguments))]
    for k, slot in enumerate(plan.wanted):
        arguments.append(ArrayArgument(len(arguments), plan.out.dtype, True, size=plan.specs[slot].size, met=True))
        roles.append(("result", k))
    size = plan.memory * plan.parts
    if size:
        arguments.append(ArrayArgument(len(arguments), np.dtype(np.uint8), True, size=size, scratch=True))
        roles.append(("work", 0))
    starts = list(plan.rooms.items())
    launch = KernelLaunch(
        stack_text(tape),
        [0] * len(arguments),
        arguments,
        rows=plan.count,
        chunk=plan.chunk,
        parallel=True,
        release=True,
        name="a kernel of small products",
        rooms={name: (place, end - place) for (name, place), (_, end) in pairwise(starts)},
    )
    return KernelCall(launch, roles, tape.inputs, [plan.specs[slot] for slot in plan.wanted])


stacks = HostKernel("kernel_of_products", stack_call)


def stack_kernel(tape: Tape) -> Equation:
    """The operation that stands for a stack of products, without operands and results."""
    return Equation(stacks, (), (("tape", tape),), (), kernel_specs(tape), tape.equations[-1].source)
