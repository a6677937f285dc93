"""Kernels that copy what views show: transposes, slices, windows, broadcasts."""

from __future__ import annotations

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.strides import view_of
from autodiff.backends.cupy.kernels.view_copies import write_copy
from autodiff.backends.cupy.kernels.writing import Writing, word
from autodiff.trace.tape import Tape


@prints("copy_of_view")
def print_copy(*, tape: Tape) -> DeviceKernel:
    """What a view shows, in C order: a transpose, a slice, windows, a broadcast."""
    writing = Writing(tape)
    (x,) = writing.operands
    view = view_of(writing.equation, x).joined()
    kind = word(x.dtype)
    writing.arrays((kind,), kind)
    write_copy(writing, view)
    return writing.kernel()
