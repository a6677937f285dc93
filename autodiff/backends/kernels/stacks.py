"""Stacks of small products as one kernel: threads share the matrices, and views are read where they lie.

NumPy calls BLAS once for each matrix of a stack, which for small ones is mostly the call, and copies or crawls where
matrices do not lie as BLAS wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.call import KernelPrimitive, fitting, kernel_specs, refuse
from autodiff.backends.kernels.forms import VIEWS, View, steps
from autodiff.backends.numba.kernels import kernel_address
from autodiff.backends.numba.launching import ArrayArgument, bind
from autodiff.backends.recycling import maker
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

SMALL, BIG = 256, 1 << 21
"""Matrices of at most so many columns, and second operands of at most so many bytes, are multiplied in place."""

WORK, PARTS = 200_000, 16
"""Multiplications that are worth a kernel, and parts that threads share."""


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


def stack_text(tape: Tape) -> str:
    """The kernel of a stack of products, over the matrices of the stack."""
    product = tape.equations[-1]
    specs = tape.specs
    out = product.specs[0]
    lead = out.shape[:-2]
    lines = ["def kernel(block, lo, hi):"]
    views = []
    for name, operand in zip("ab", product.operands, strict=True):
        assert isinstance(operand, int)
        view, spec = view_of(operand, tape), specs[operand]
        missing = len(lead) - (spec.ndim - 2)
        strides = [0] * missing + [
            0 if length == 1 else s for length, s in zip(spec.shape[:-2], view.strides, strict=False)
        ]
        views.append((name, view, strides))
        lines.append(f"    {name} = pointer(block, {view.base})  # {specs[view.base]}")
    lines += [f"    c = pointer(block, {len(tape.inputs)})  # {out}", "    for r in range(lo, hi):"]
    for name, view, strides in views:
        lines.append(f"        {name}_r = shifted({name}, {place(strides, lead, view.offset, out.dtype.itemsize)})")
    rows, columns, inner = out.shape[-2], out.shape[-1], specs[product.operands[0]].shape[-1]  # type: ignore[index]
    lines.append(f"        c_r = shifted(c, r * {rows * columns * out.dtype.itemsize})")
    (_, first, _), (_, second, _) = views
    numbers = f"{rows}, {columns}, {inner}, 0"
    lines.append(
        f"        multiply_matrices_{out.dtype}(a_r, {first.strides[-2]}, {first.strides[-1]}, "
        f"b_r, {second.strides[-2]}, {second.strides[-1]}, c_r, {columns}, {numbers})"
    )
    return "\n".join(lines) + "\n"


def place(strides: Sequence[int], lead: Sequence[int], offset: int, size: int) -> str:
    """The bytes from the first element of an array to matrix ``r`` of a stack."""
    terms = [str(offset * size)] if offset else []
    below = 1
    for axis in range(len(lead) - 1, -1, -1):
        if strides[axis] and lead[axis] != 1:
            number = "r" if below == 1 else f"r // {below}"
            number = f"{number} % {lead[axis]}" if axis else number
            terms.append(f"({number}) * {strides[axis] * size}")
        below *= lead[axis]
    return " + ".join(terms) or "0"


class StackCall:
    """The kernel of a stack of products as a function.

    Args:
        tape: views of inputs, and the product as the last operation.

    Attributes:
        text: of the kernel.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.text = stack_text(tape)
        (out,) = tape.output_specs
        count = prod(out.shape[:-2])
        arguments = [ArrayArgument(k, s.dtype) for k, s in enumerate(tape.inputs)]
        self.new = maker(out)
        self.launch = bind(
            kernel_address(self.text),
            [0] * (len(arguments) + 1),
            [*arguments, ArrayArgument(len(arguments), out.dtype, True)],
            rows=count,
            chunk=-(-count // PARTS),
            parallel=True,
            release=True,
        )

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        out = self.new()
        if self.launch(*inputs, out) is NotImplemented:
            inputs = tuple(fitting(x, s) for x, s in zip(inputs, self.tape.inputs, strict=True))
            if self.launch(*inputs, out) is NotImplemented:
                refuse(*inputs)
        return (out,)


def make_stack_call(*, tape: Tape) -> Callable[..., Any]:
    """The function of a kernel."""
    return StackCall(tape)


stacks = KernelPrimitive("kernel_of_products", make_stack_call)


def stack_kernel(tape: Tape) -> Equation:
    """The operation that stands for a stack of products, without operands and results."""
    return Equation(stacks, (), (("tape", tape),), (), kernel_specs(tape), tape.equations[-1].source)
