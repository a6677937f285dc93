"""Copies in C order of arrays that lie otherwise, by kernels: transposed, sliced, broadcast, or windows of images.

CuPy's own function finds the place of each element by itself, and moves one at a time. Here a team of threads finds the
place of a row, and words of up to 16 bytes are moved where rows consist of them; axes are turned in shared memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.strides import View
from autodiff.backends.cupy.kernels.view_copies import copy_of_words
from autodiff.backends.cupy.kernels.writing import WORDS
from autodiff.backends.cupy.runtime.modules import KernelModule

LEAST = 1 << 15
"""Bytes below which nothing but the launch counts: CuPy's function is there already."""

Shape = tuple[int, ...]


def in_order(x: Any, out: Any = None) -> Any:
    """A copy of an array in C order.

    Args:
        x: the array.
        out: memory for it, in C order, of the same shape and dtype; new memory if None.
    """
    if x.nbytes < LEAST or x.itemsize not in WORDS or not aligned(x) or not (out is None or aligned(out)):
        if out is None:
            return x.copy(order="C")
        out[...] = x
        return out
    cupy = sys.modules["cupy"]
    out = cupy.empty(x.shape, x.dtype) if out is None else out
    view = view_of(x.shape, tuple(stride // x.itemsize for stride in x.strides))
    size = widest(view, x.itemsize, x.data.ptr | out.data.ptr)
    launcher(view, x.itemsize, size, int(cupy.cuda.runtime.getDevice()))(x, out)
    return out


def aligned(x: Any) -> bool:
    """Whether all elements begin at multiples of their size: views of bytes, and of memory of others, may not."""
    return not (x.data.ptr % x.itemsize or any(stride % x.itemsize for stride in x.strides))


@lru_cache(maxsize=4096)
def view_of(shape: Shape, steps: Shape) -> View:
    """How the elements lie, with as few axes as they take."""
    return View(0, shape, steps).joined()


def widest(view: View, itemsize: int, place: int) -> int:
    """The bytes of the largest words that rows consist of, and that begin at multiples of their size.

    Args:
        view: of elements.
        itemsize: of an element.
        place: the addresses of the first elements, joined bit by bit.
    """
    size = itemsize
    while view.steps[-1] == 1 and size < 16:
        many = 2 * size // itemsize
        apart = [view.lengths[-1], *view.steps[:-1]]
        if place % (2 * size) or any(step % many for step in apart):
            break
        size *= 2
    return size


@lru_cache(maxsize=4096)
def launcher(view: View, itemsize: int, size: int, device: int) -> Callable[[Any, Any], None]:
    """What copies elements that lie so to memory in C order, as words of a size."""
    many = size // itemsize
    if many > 1:
        lengths, steps = (*view.lengths[:-1], view.lengths[-1] // many), [step // many for step in view.steps[:-1]]
        view = View(0, lengths, (*steps, 1))
    kernel = copy_of_words(view, size)
    module = KernelModule()
    (name,) = module.add(kernel)
    function, (launch,) = module.functions(device)[name], kernel.launches
    numbers = tuple(np.int64(parameter.value) for parameter in kernel.parameters if parameter.role == "size")
    blocks, threads = launch.blocks, (launch.threads,)

    def copy(x: Any, out: Any) -> None:
        function(blocks, threads, (x, out, *numbers), 0)

    return copy


def reshaped(x: Any, *, shape: Shape) -> Any:
    """An array in another shape: a view where its elements lie so, else of a copy in C order."""
    if x.nbytes < LEAST or x.flags.c_contiguous:
        return x.reshape(shape)
    view = x.view()
    try:
        view.shape = shape
    except AttributeError:  # it would be a copy
        return in_order(x).reshape(shape)
    return view


EVALUATORS: dict[str, Callable[..., Any]] = {"reshape": reshaped}
"""What the primitives of these names do to plain arrays on a GPU."""
