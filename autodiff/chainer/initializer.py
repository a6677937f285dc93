"""What initializers have in common, and the numbers of connections that they scale by."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.facade.settings.configuration import mixed16
from autodiff.trace.source import at_user_line


class Initializer:
    """A function that fills an array in place.

    Subclasses define ``__call__(self, array)``.

    Args:
        dtype: the dtype of the arrays to be made for it; ``config.dtype`` where it is None.

    >>> class Half(Initializer):
    ...     def __call__(self, array):
    ...         array[...] = 0.5
    >>> from autodiff import Parameter
    >>> Parameter(Half(), (2,))
    variable([0.5, 0.5])
    """

    def __init__(self, dtype: Any = None) -> None:
        self.dtype = dtype

    def __call__(self, array: Any) -> None:
        """Fill the array."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(self, array), which fills the array")

    def _check_dtype(self, array: Any) -> None:
        """Refuse an array of another dtype than the one asked for."""
        if self.dtype not in (None, mixed16) and np.dtype(self.dtype) != array.dtype:
            raise ValueError(
                f"{type(self).__name__} was made for dtype {np.dtype(self.dtype)}, but the array has dtype "
                f"{array.dtype}{at_user_line()}; give the array this dtype, or the initializer without a dtype"
            )


def get_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs reach one output of a layer, and how many outputs one input reaches.

    Args:
        shape: the shape of the layer's weight, ``(outputs, inputs, *kernel)``.

    Returns:
        ``(inputs * prod(kernel), outputs * prod(kernel))``.

    Raises:
        ValueError: if there are fewer than two axes.

    >>> get_fans((4, 3, 2, 2))
    (12, 16)
    """
    if len(shape) < 2:
        raise ValueError(
            f"shape must be of length >= 2 for a weight (outputs, inputs, ...). Actual shape: {shape}{at_user_line()}; "
            "use initializers.Normal or Uniform, which need no fans"
        )
    kernel = prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel
