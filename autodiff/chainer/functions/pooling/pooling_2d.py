"""What functions of windows on images have in common, for programs that derive functions of their own from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.functions.type_check import expect


class Windows:
    """Windows on images, and what is checked of an input: an array of floats (N, C, H, W).

    Args:
        ksize: size of the windows: a number, or a pair.
        stride: steps between windows; by default they stand side by side.
        pad: width of the border.
        cover_all: whether windows go on beyond the end until all pixels are covered.

    Attributes:
        kh, kw: the size of the windows.
        sy, sx: the steps.
        ph, pw: the width of the border.
    """

    def __init__(self, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True) -> None:
        self.kh, self.kw = pair(ksize)
        self.sy, self.sx = pair(ksize if stride is None else stride)
        self.ph, self.pw = pair(pad)
        self.cover_all = cover_all

    def check_type_forward(self, in_types: Any) -> None:
        """See that the input is an array of floats with four axes."""
        expect(in_types.size() == 1, in_types[0].dtype.kind == "f", in_types[0].ndim == 4)


class Pooling2D(Windows, FunctionNode):
    """The base of a function of windows on images, which a program gives a ``forward`` and a ``backward``.

    Args:
        ksize: size of the windows: a number, or a pair.
        stride: steps between windows; by default they stand side by side.
        pad: width of the border.
        cover_all: whether windows go on beyond the end until all pixels are covered.
        return_indices: kept as an attribute, for ``forward``.

    >>> pooling = Pooling2D(3, stride=(1, 2))
    >>> (pooling.kh, pooling.kw), (pooling.sy, pooling.sx), (pooling.ph, pooling.pw)
    ((3, 3), (1, 2), (0, 0))
    """

    def __init__(
        self, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True, return_indices: bool = False
    ) -> None:
        super().__init__(ksize, stride, pad, cover_all)
        self.return_indices = return_indices


def of_axis(name: str, axis: int) -> Callable[[Any], int]:
    """What computes a parameter of windows along an axis, from a number or a pair."""

    def compute(self: Any) -> int:
        value = getattr(self, name)
        return pair(self.ksize if value is None else value)[axis]

    return compute


WINDOW = {
    "kh": of_axis("ksize", 0), "kw": of_axis("ksize", 1),
    "sy": of_axis("stride", 0), "sx": of_axis("stride", 1),
    "ph": of_axis("pad", 0), "pw": of_axis("pad", 1),
}  # fmt: skip
"""The attributes of an object that was made of ``ksize``, ``stride`` and ``pad``."""
