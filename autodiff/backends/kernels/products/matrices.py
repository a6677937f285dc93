"""Products of large matrices as kernels.

BLAS has threads of its own, which do not know ours: on the cores of a machine the two wake and wait against each other,
and where a program goes from products to kernels and back that costs more than the products. So programs multiply with
the threads that run their kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.forms import View
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, operand_argument
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs
from autodiff.backends.kernels.products.matrix_text import WIDTHS, Layout, matrix_text
from autodiff.backends.kernels.products.stacks import view_of
from autodiff.backends.native.threads import get_num_threads
from autodiff.trace.tape import Equation, Tape

WORK = 200_000
"""Multiplications that are worth a kernel."""

LEAST = 4, 8, 4
"""The least rows, columns and terms: what is narrower computes little for what it copies."""


def step_of(view: View) -> tuple[int, bool] | None:
    """How far the rows of a matrix lie apart; or its columns, and true, where the elements of these are neighbours.

    None where neither are, or where rows overlap.
    """
    row, column = view.strides[-2:]
    if column == 1 and row:
        return row, False
    return (column, True) if row == 1 and column else None


@dataclass(frozen=True)
class Large:
    """A product of large matrices.

    Attributes:
        layout: its sizes.
        views: where A and B lie in inputs.
        steps: how far their rows, or columns, lie apart.
    """

    layout: Layout
    views: tuple[View, View]
    steps: tuple[int, int]

    @property
    def words(self) -> list[int]:
        """The block of its kernel; addresses come with calls."""
        layout = self.layout
        offsets = [view.offset * layout.size for view in self.views]
        turned = [int(layout.a_turned), int(layout.b_turned)]
        cut = [layout.m, layout.n, layout.k, *layout.part, layout.parts[1], layout.depth, layout.terms]
        memory = [layout.chunk, layout.room, layout.panel_bytes, layout.tile_bytes]
        return [0, 0, 0, 0, *offsets, *self.steps, *turned, *cut, *memory]


def large_product(tape: Tape) -> Large | None:
    """The product that ends a tape of views, if a kernel for it is worth it."""
    equation, specs = tape.equations[-1], tape.specs
    if equation.primitive.name not in ("matmul", "linear_map"):
        return None
    first, second = (specs[o] for o in equation.operands if isinstance(o, int))
    out = equation.specs[0]
    if out.ndim != 2 or out.dtype.name not in WIDTHS or not first.dtype == second.dtype == out.dtype:
        return None
    (m, n), k = out.shape, first.shape[-1]
    narrow = any(length < least for length, least in zip((m, n, k), LEAST, strict=True))
    if first.ndim != 2 or second.ndim != 2 or narrow or m * n * k < WORK:
        return None
    a, b = (view_of(o, tape) for o in equation.operands if isinstance(o, int))
    if equation.primitive.name == "linear_map":
        b = View(b.base, b.strides[::-1], b.offset)
    a_lies, b_lies = step_of(a), step_of(b)
    if a_lies is None or b_lies is None:
        return None
    (a_step, a_turned), (b_step, b_turned) = a_lies, b_lies
    return Large(Layout(out.dtype.name, m, n, k, a_turned, b_turned, get_num_threads()), (a, b), (a_step, b_step))


def matrix_call(*, tape: Tape) -> KernelCall:
    """The kernel of a product: the tape has views of inputs, and the product as the last operation."""
    product = large_product(tape)
    assert product is not None
    layout = product.layout
    (out,) = tape.output_specs
    bases = [view.base for view in product.views]
    launch = KernelLaunch(
        matrix_text(layout),
        product.words,
        [
            *(operand_argument(word, tape.inputs[base]) for word, base in enumerate(bases)),
            ArrayArgument(2, out.dtype, True, size=out.size, met=True),
            ArrayArgument(3, np.dtype(np.uint8), True, size=layout.room * layout.chunks, scratch=True),
        ],
        rows=prod(layout.parts),
        chunk=layout.chunk,
        parallel=layout.chunks > 1,
        release=True,
        name="a kernel of a product of large matrices",
    )
    roles = *(("operand", base) for base in bases), ("result", 0), ("work", 0)
    return KernelCall(launch, roles, tape.inputs, tape.output_specs)


matrices = HostKernel("kernel_of_matrices", matrix_call)


def matrix_kernel(tape: Tape) -> Equation:
    """The operation that stands for a product of large matrices, without operands and results."""
    return Equation(matrices, (), (("tape", tape),), (), kernel_specs(tape), tape.equations[-1].source)
