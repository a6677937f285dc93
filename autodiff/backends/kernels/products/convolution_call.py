"""The kernel of a convolution as a function of Python."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.finishing import Step, Transposed, Turned
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, operand_argument
from autodiff.backends.kernels.primitive import HostKernel
from autodiff.backends.kernels.products.convolution_text import (
    Layout,
    Text,
    backwards,
    forward_text,
    layout_of,
    to_input_text,
    to_kernel_text,
)
from autodiff.backends.kernels.roles import Role
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape


@dataclass(frozen=True)
class ConvolutionKernel:
    """The kernel of a convolution, or of one of its gradients.

    Args:
        kind: ``"forward"``, ``"turned"`` (a gradient by images that is a convolution itself), ``"to_input"`` or
            ``"to_kernel"``.
        layout: of the convolution that it computes, or whose gradient it computes.
        written: what is compiled.
    """

    kind: str
    layout: Layout
    written: Text

    @property
    def text(self) -> str:
        return str(self.written)


def convolution_of(tape: Tape) -> ConvolutionKernel:
    """The kernel of a tape that consists of a convolution."""
    (equation,) = tape.equations
    (out,) = equation.specs
    first, second = tape.inputs
    geometry, name = dict(equation.params)["geometry"], equation.primitive.name
    if name == "convolve_nd":
        layout = layout_of(first.shape, second.shape, geometry, out.dtype)
        return ConvolutionKernel("forward", layout, forward_text(layout))
    if name == "convolve_to_kernel":
        layout = layout_of(first.shape, out.shape, geometry, out.dtype)
        return ConvolutionKernel("to_kernel", layout, to_kernel_text(layout))
    layout = layout_of(out.shape, second.shape, geometry, out.dtype)
    turned = backwards(layout)
    if turned is not None:
        return ConvolutionKernel("turned", turned, forward_text(turned))
    return ConvolutionKernel("to_input", layout, to_input_text(layout))


def convolution_call(*, tape: Tape) -> KernelCall:
    """The kernel of a convolution, or of one of its gradients, of its two operands.

    Its block has the images, the kernels, the results, and memory for images with their padding and for columns. A
    gradient by kernels is added up of parts; one by images may read kernels that are turned round.
    """
    kernel = convolution_of(tape)
    kind, layout = kernel.kind, kernel.layout
    (out,) = tape.output_specs
    first, second = tape.inputs
    sums = layout.groups, layout.terms, layout.outputs
    roles: list[Role] = [("operand", 0), ("operand", 1), ("result", 0)]
    arguments = [operand_argument(0, first), operand_argument(1, second), result_argument(2, out)]
    before: list[Step] = []
    after: list[Step] = []
    if kind == "to_input":
        roles.reverse()
        arguments = [result_argument(0, out), operand_argument(1, second), operand_argument(2, first)]
    elif kind == "turned":
        roles[1] = "work", 0
        arguments[1] = ArrayArgument(1, out.dtype, size=second.size)
        before.append(Turned(1, roles[1], layout.groups, layout.channels, layout.outputs, layout.kernel))
    elif kind == "to_kernel":
        roles[2] = "work", 0
        arguments[2] = ArrayArgument(2, out.dtype, True, size=prod(sums) * layout.parts)
        after.append(Transposed(0, roles[2], layout.parts, sums))
    for word, size in enumerate([layout.image_bytes, 0 if layout.bare else layout.column_bytes], 3):
        if size:
            arguments.append(ArrayArgument(word, np.dtype(np.uint8), True, size=size * layout.parts, scratch=True))
            roles.append(("work", word))
    launch = KernelLaunch(
        kernel.text,
        kernel.written.words,
        arguments,
        rows=layout.images,
        chunk=layout.chunk,
        parallel=layout.parts > 1,
        release=True,
        name="a kernel of convolutions",
    )
    return KernelCall(launch, roles, tape.inputs, tape.output_specs, before, after)


def result_argument(word: int, out: Spec) -> ArrayArgument:
    """The result as what fills a word of the kernel's block."""
    return ArrayArgument(word, out.dtype, True, size=out.size)


convolutions = HostKernel("kernel_of_convolution", convolution_call)
