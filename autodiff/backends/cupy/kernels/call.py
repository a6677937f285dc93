"""Kernels of GPUs on a tape: one operation that stands for all that a kernel does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.backends.cupy.kernels.grids import grid_kernel
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.runtime.alone import lone_call
from autodiff.backends.kernels.primitive import KernelPrimitive
from autodiff.trace.tape import Tape, strict

PRINTERS: dict[str, Callable[..., DeviceKernel]] = {}
"""For each kind of kernel the function of an operation's other parameters that prints it."""


def prints(kind: str) -> Callable[[Callable[..., DeviceKernel]], Callable[..., DeviceKernel]]:
    """A decorator of the function that prints kernels of a kind.

    Args:
        kind: as operations name it. The function takes the other parameters as keywords, ``tape`` among them.
    """

    def enter(printer: Callable[..., DeviceKernel]) -> Callable[..., DeviceKernel]:
        PRINTERS[kind] = printer
        return printer

    return enter


MANY = 4096
"""So many kernels are remembered."""

_printed: dict[Any, DeviceKernel] = {}


def kernel_of(*, kind: str, **params: Any) -> DeviceKernel:
    """The kernel of an operation, by its parameters."""
    key = kind, *((name, strict(value)) for name, value in sorted(params.items()))
    found = _printed.get(key)
    if found is None:
        if len(_printed) >= MANY:
            _printed.clear()
        found = _printed[key] = PRINTERS[kind](**params)
    return found


def make_call(*, kind: str, tape: Tape, **params: Any) -> Callable[..., tuple[Any, ...]]:
    """A kernel as a function of arrays on the current device, in a module of its own."""
    return lone_call(kernel_of(kind=kind, tape=tape, **params))


device_kernel = KernelPrimitive("device_kernel", make_call)
"""A kernel of a GPU. Its parameters are the ``kind``, the ``tape`` of what it does, and what its kind needs."""


@prints("grid")
def print_grid(
    *, tape: Tape, shape: tuple[int, ...], epilogue: int = 0, in_place: tuple[tuple[int, int], ...] = ()
) -> DeviceKernel:
    """The kernel of a tape on a grid; so many of its last operations wait for totals.

    ``in_place`` are pairs of an output and an input that lie in the same memory.
    """
    return grid_kernel(tape, shape, epilogue, in_place)
