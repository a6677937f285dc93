"""Images in another size."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def resize_images(
    x: Any, output_shape: tuple[int, int], *, mode: str = "bilinear", align_corners: bool = True
) -> Variable:
    """Images in another size.

    Args:
        x: images, floating-point numbers of shape (batch, channels, height, width).
        output_shape: the new height and width.
        mode: ``"bilinear"``: between the pixels around a place; ``"nearest"``: the old pixel that holds the upper left
            corner of the new one.
        align_corners: whether the centres of the pixels in the corners stay, else the corners of the images do; without
            a meaning for ``"nearest"``.

    Raises:
        ValueError: if the mode is another one.
        InvalidType: if the shape or the dtype does not fit.

    >>> resize_images(np.array([[[[0.0, 2.0]]]]), (1, 3))
    variable([[[[0., 1., 2.]]]])
    """
    if mode not in ("bilinear", "nearest"):
        raise ValueError(f"mode must be 'bilinear' or 'nearest', got {mode!r}{at_user_line()}")

    def fun(x: Any) -> Any:
        for axis, length in zip((2, 3), output_shape, strict=True):
            if mode == "bilinear":
                x = between(x, sampled(x.shape[axis], length, align_corners), axis)
            else:
                x = np.take(x, beside(x, nearest(x.shape[axis], length)), axis)
        return x

    return apply("ResizeImages", fun, (x,), lambda x: (x.dtype.kind == "f", x.ndim == 4))


def sampled(length: int, wanted: int, align_corners: bool) -> Any:
    """Where along an axis the new pixels are, within the old ones."""
    if align_corners:
        return np.linspace(0, length - 1, wanted) if wanted > 1 else np.zeros(1)
    places = (np.arange(wanted) + 0.5) * (length / wanted) - 0.5
    return np.clip(places, 0, length - 1)


def nearest(length: int, wanted: int) -> Any:
    """Which of the old pixels along an axis the new ones are."""
    places = np.floor(np.arange(wanted) * (length / wanted))  # the quotient first, whose rounding decides at ties
    return np.minimum(places, length - 1).astype(int)


def between(x: Any, places: Any, axis: int) -> Any:
    """Mixtures of the two pixels around each place."""
    below = np.floor(places).astype(int)
    above = np.minimum(below + 1, x.shape[axis] - 1)
    share = (places - below).astype(x.dtype).reshape((-1,) + (1,) * (3 - axis))
    below, above, share = (beside(x, constant) for constant in (below, above, share))
    return np.take(x, below, axis) * (1 - share) + np.take(x, above, axis) * share


ResizeImages = function_class(
    "ResizeImages",
    resize_images,
    "output_shape, mode, align_corners",
    computed={"out_H": lambda self: self.output_shape[0], "out_W": lambda self: self.output_shape[1]},
)
