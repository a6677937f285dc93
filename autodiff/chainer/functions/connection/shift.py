"""Channels moved by different steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import pairs
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line

Step = tuple[int, int]


def shift(x: Any, ksize: Any = 3, dilate: Any = 1) -> Variable:
    """Each channel moved by the step of its group; zeros come in.

    The kh kw steps are those from the middle of a kernel to its places, in C order; the last group, which takes what
    is left over too, stays where it is and gives its step to the group in the middle.

    Args:
        x: images (N, C, H, W), floats, with at least kh kw channels.
        ksize: size of the kernel: an odd number, or a pair (kh, kw) of them.
        dilate: length of the steps: a number, or a pair (dy, dx).

    Returns:
        images of the same shape.

    Raises:
        ValueError: if a size is even.
        InvalidType: if x is no array of floats with four axes, or has too few channels.

    B. Wu et al., Shift: A Zero FLOP, Zero Parameter Alternative to Spatial Convolutions, 2017.

    >>> shift(np.arange(6.0).reshape(1, 3, 1, 2), ksize=(1, 3)).array[0, :, 0]
    array([[1., 0.],
           [0., 2.],
           [4., 5.]])
    """
    size, length = pair(ksize), pair(dilate)
    for name, k in zip(("kh", "kw"), size):
        if k % 2 != 1:
            raise ValueError(f"{name} must be odd, got ksize={ksize!r}{at_user_line()}")

    def moved(x: Any) -> Any:
        top, left = (k // 2 * d for k, d in zip(size, length))
        padded = np.pad(x, ((0, 0), (0, 0), (top, top), (left, left)))
        height, width = x.shape[2:]
        parts = [
            padded[:, channels, top - dy : top - dy + height, left - dx : left - dx + width]
            for channels, (dy, dx) in zip(groups(x.shape[1], size), steps(size, length))
        ]
        return np.concatenate(parts, axis=1)

    return apply(
        "Shift",
        moved,
        (x,),
        check=lambda x: (x.dtype.kind == "f", x.ndim == 4, x.shape[1] >= size[0] * size[1]),
    )


def groups(channels: int, size: Step) -> list[slice]:
    """The channels of each group."""
    count = size[0] * size[1]
    each = channels // count
    return [slice(k * each, (k + 1) * each if k < count - 1 else channels) for k in range(count)]


def steps(size: Step, length: Step) -> list[Step]:
    """The step of each group."""
    found = [
        ((k - size[0] // 2) * length[0], (n - size[1] // 2) * length[1]) for k in range(size[0]) for n in range(size[1])
    ]
    middle = len(found) // 2
    found[middle], found[-1] = found[-1], found[middle]
    return found


Shift = function_class("Shift", shift, "ksize=3, dilate=1", computed={**pairs(k="size"), **pairs(d="length")})
