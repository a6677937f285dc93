"""The kernel of a convolution as a function of Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.idle import SMALL, Idle
from autodiff.backends.kernels.call import KernelPrimitive, fitting, refuse
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch
from autodiff.backends.kernels.products.convolution_text import (
    Layout,
    Text,
    backwards,
    forward_text,
    layout_of,
    to_input_text,
    to_kernel_text,
)
from autodiff.trace.memory.aligned import room
from autodiff.trace.memory.recycling import maker
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


class ConvolutionCall:
    """The kernel of a convolution as a function of its two operands.

    Args:
        tape: the convolution alone.

    Attributes:
        kernel: what it runs.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.kernel = kernel = convolution_of(tape)
        (out,) = tape.output_specs
        layout, dtype = kernel.layout, out.dtype
        self.new = maker(out)
        self.sums = layout.groups, layout.terms, layout.outputs
        self.memory: list[Callable[[], Any]] = []
        shapes = self.shapes()
        arguments = [ArrayArgument(k, dtype, self.written(k), shapes.get(k), size=self.size(k)) for k in range(3)]
        if kernel.kind == "to_kernel":
            self.memory.append(partial(np.empty, (layout.parts, *self.sums), dtype))
        bytes = [layout.image_bytes, 0 if layout.bare else layout.column_bytes]
        for word, size in enumerate(bytes, 3):
            if size:
                arguments.append(ArrayArgument(word, np.dtype(np.uint8), True, size=size * layout.parts, scratch=True))
                self.memory.append(partial(room, size * layout.parts))
        self.idle: list[tuple[Any, ...]] = [] if sum(bytes) * layout.parts <= SMALL else Idle()
        self.kernel_launch = KernelLaunch(
            kernel.text,
            kernel.written.words,
            arguments,
            rows=layout.images,
            chunk=layout.chunk,
            parallel=layout.parts > 1,
            release=True,
            name="a kernel of convolutions",
        )
        self.launch = self.kernel_launch.bound()

    def shapes(self) -> dict[int, tuple[int, ...]]:
        """The shapes of the operands, by their words; what is made here has the shape that it needs."""
        first, second = (s.shape for s in self.tape.inputs)
        if self.kernel.kind == "turned":
            return {0: first}
        return {2: first, 1: second} if self.kernel.kind == "to_input" else {0: first, 1: second}

    def size(self, word: int) -> int:
        """The elements of an array, by its word."""
        first, second = (s.size for s in self.tape.inputs)
        out = (
            prod(self.sums) * self.kernel.layout.parts
            if self.kernel.kind == "to_kernel"
            else self.tape.output_specs[0].size
        )
        return ((out, second, first) if self.kernel.kind == "to_input" else (first, second, out))[word]

    def written(self, word: int) -> bool:
        """Whether the kernel fills the array of a word."""
        return word == (0 if self.kernel.kind == "to_input" else 2)

    def __call__(self, first: Any, second: Any) -> tuple[Any, ...]:
        try:
            own = self.idle.pop()
        except IndexError:
            own = tuple([make() for make in self.memory])
        try:
            return (self.result(first, second, own),)
        finally:
            self.idle.append(own)

    def result(self, first: Any, second: Any, own: tuple[Any, ...]) -> Any:
        """What the operands give, with memory of its own to work in."""
        kind, out = self.kernel.kind, self.new()
        given = first, second
        if kind == "turned":
            second = self.turned(fitting(second, self.tape.inputs[1]))
        if not self.launched(first, second, out, own):
            first = fitting(first, self.tape.inputs[0])
            if kind != "turned":
                second = fitting(second, self.tape.inputs[1])
            if not self.launched(first, second, out, own):
                refuse(*given)
        if kind == "to_kernel":
            groups, terms, outputs = self.sums
            total = np.add.reduce(own[0], 0)
            out.reshape(groups, outputs, terms)[...] = np.swapaxes(total, 1, 2)
        return out

    def launched(self, first: Any, second: Any, out: Any, own: tuple[Any, ...]) -> bool:
        """Whether the kernel took these arrays and has run."""
        if self.kernel.kind == "to_kernel":
            return self.launch(first, second, *own) is not NotImplemented
        if self.kernel.kind == "to_input":
            return self.launch(out, second, first, *own) is not NotImplemented
        return self.launch(first, second, out, *own) is not NotImplemented

    def turned(self, kernels: Any) -> Any:
        """Kernels from results to images: every one turned round, and channels and outputs in each other's places."""
        layout = self.kernel.layout
        groups, channels, outputs = layout.groups, layout.outputs, layout.channels
        apart = kernels.reshape(groups, outputs, channels, *layout.kernel)[..., ::-1, ::-1]
        return np.ascontiguousarray(np.swapaxes(apart, 1, 2))


def make_convolution_call(*, tape: Tape) -> Callable[..., Any]:
    """The function of a kernel."""
    return ConvolutionCall(tape)


convolutions = KernelPrimitive("kernel_of_convolution", make_convolution_call)
