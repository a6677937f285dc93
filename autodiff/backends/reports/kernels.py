"""The texts of the kernels of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from autodiff.backends.kernels.forms import Shape
from autodiff.backends.kernels.partition import shared as share_of
from autodiff.backends.kernels.products.convolution_call import convolution_of
from autodiff.backends.kernels.products.matrices import large_product
from autodiff.backends.kernels.products.matrix_text import matrix_text
from autodiff.backends.kernels.products.stack_plan import stack_plan
from autodiff.backends.kernels.products.stacks import stack_text
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.rows.gathers import pick_text
from autodiff.backends.kernels.rows.memory import Shared, row_kernel_of
from autodiff.backends.kernels.windows.layout import layout_of
from autodiff.backends.kernels.windows.pooling import parts_of
from autodiff.backends.kernels.windows.text import window_text
from autodiff.backends.reports.plan import Plan, Statement
from autodiff.backends.reports.sources import lines_of, names_of
from autodiff.backends.reports.table import short
from autodiff.trace.tape import Tape


@dataclass(frozen=True)
class KernelText:
    """A kernel, and what it is for.

    Args:
        operations: what it does.
        source: the user's lines.
        sizes: how far its loops run, and who runs them.
        text: what is compiled: a function of the address of a block of words, and of a range of rows; for GPUs
            functions in CUDA C++.
        comment: what begins a comment in it.
    """

    operations: str
    source: str
    sizes: str
    text: str
    comment: str = "#"

    def __str__(self) -> str:
        head = [self.operations, self.source, self.sizes]
        return "".join(f"{self.comment} {line}\n" for line in head if line) + self.text


class Kernels(tuple[KernelText, ...]):
    """The kernels of a program in the order in which they run first; print it to read them.

    Attributes:
        reason: why there are none, or not one for all.
    """

    reason: str = ""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else f"# no kernels: {self.reason}\n"


def kernels(plan: Plan) -> Kernels:
    """The kernels of a program, and of the bodies of its loops and branches."""
    found = Kernels(dict.fromkeys(map(kernel_text, kernel_statements(plan))))
    found.reason = plan.reason
    return found


def kernel_statements(plan: Plan) -> Iterator[Statement]:
    """The statements that are kernels, also in bodies."""
    return (statement for statement in plan.every() if statement.kind == "kernel")


def kernel_text(statement: Statement) -> KernelText:
    """The text of the kernel of a statement."""
    tape = statement.tape
    text, sizes = WRITTEN[statement.equation.primitive.name](**dict(statement.equation.params))
    return KernelText(names_of(tape), lines_of(tape.equations), sizes, text, "//" if statement.gpu else "#")


def written_rows(tape: Tape, shape: Shape, shared: Shared = ()) -> tuple[str, str]:
    """The text of a kernel of rows, and how it runs over its grid."""
    kernel = row_kernel_of(tape, shape, shared)
    grid, share = kernel.grid, share_of(kernel.grid, tape)
    extent = f"{grid.rows} elements" if grid.flat else f"{grid.rows} rows of {grid.columns} columns"
    if share.parts == 1:
        return kernel.text, f"{extent}, at once"
    threads = "shared by threads" if share.parallel else "one thread"
    return kernel.text, f"{extent}, in {share.parts} chunks of {share.chunk}, {threads}"


def written_whole(tape: Tape, rows: int | None = None) -> tuple[str, str]:
    """The text of the kernel of a whole program."""
    kernel = whole_kernel(tape, rows)
    room = f", {short(kernel.memory, 'B')} of memory to work in" if kernel.memory else ""
    calls = f", calls out to NumPy: {', '.join(kernel.calls)}" if kernel.calls else ""
    return kernel.text, f"{f'{rows} rows, shared by threads' if rows else 'one thread'}{room}{calls}"


def written_products(tape: Tape) -> tuple[str, str]:
    """The text of a kernel of a stack of products."""
    plan = stack_plan(tape)
    extent = f"{prod(plan.lead)} matrices of {plan.rows} x {plan.columns}"
    if not plan.plain:
        extent += f", {plan.block} {plan.cut} at a time"
    return stack_text(tape), f"{extent}, shared by threads"


def written_picks(tape: Tape) -> tuple[str, str]:
    """The text of a kernel that picks elements of rows."""
    rows = prod(tape.inputs[0].shape[: dict(tape.equations[1].params)["rest"]])
    return pick_text(tape), f"{rows} rows, shared by threads"


def written_convolution(tape: Tape) -> tuple[str, str]:
    """The text of the kernel of a convolution."""
    kernel = convolution_of(tape)
    layout = kernel.layout
    threads = "shared by threads" if layout.parts > 1 else "one thread"
    return kernel.text, f"{layout.images} images, in {layout.parts} chunks of {layout.chunk}, {threads}"


def written_matrices(tape: Tape) -> tuple[str, str]:
    """The text of the kernel of a product of large matrices."""
    product = large_product(tape)
    assert product is not None
    layout = product.layout
    sizes = f"{layout.m} x {layout.k} times {layout.k} x {layout.n}"
    rows, columns = layout.part
    if layout.chunks == 1:
        return matrix_text(layout), f"{sizes}, one thread"
    return matrix_text(layout), f"{sizes}, in {prod(layout.parts)} parts of {rows} x {columns}, shared by threads"


def written_windows(tape: Tape) -> tuple[str, str]:
    """The text of a kernel of windows."""
    images, parts = layout_of(tape).images, parts_of(tape)
    text = window_text(layout_of(tape), (*tape.inputs, *tape.output_specs))
    threads = f"in {parts} chunks of {-(-images // parts)}, shared by threads" if parts > 1 else "one thread"
    return text, f"{images} images, {threads}"


def written_for_gpu(**params: Any) -> tuple[str, str]:
    """The text of a kernel of a GPU, and how it is launched."""
    from autodiff.backends.cupy.kernels.call import kernel_of  # noqa: PLC0415 - programs on CPUs never need it

    kernel = kernel_of(**params)
    sizes = [f"{own.function}: {prod(own.blocks)} blocks of {own.threads} threads" for own in kernel.launches]
    return kernel.text, ", then ".join(sizes)


WRITTEN: dict[str, Callable[..., tuple[str, str]]] = {
    "kernel_of_rows": written_rows,
    "kernel_of_all": written_whole,
    "kernel_of_products": written_products,
    "kernel_of_picks": written_picks,
    "kernel_of_matrices": written_matrices,
    "kernel_of_convolution": written_convolution,
    "kernel_of_windows": written_windows,
    "device_kernel": written_for_gpu,
}
