"""Traced arrays and Variables for `einops <https://einops.rocks>`_: importing this module makes it take them.

>>> import einops
>>> import numpy as np
>>> import autodiff.einops
>>> def f(images):
...     return np.sum(einops.reduce(images, "b (h h2) (w w2) -> b h w", "max", h2=2, w2=2) ** 2)
>>> autodiff.grad(f)(np.arange(8.0).reshape(1, 2, 4))
array([[[ 0.,  0.,  0.,  0.],
        [ 0., 10.,  0., 14.]]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced

try:
    from einops._backends import AbstractBackend
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("autodiff.einops needs einops; install it with: pip install einops") from error


class AutodiffBackend(AbstractBackend):
    """What einops asks of a library, by NumPy's functions, which traced arrays and Variables know."""

    framework_name = "autodiff"

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, Traced)

    def arange(self, start: int, stop: int) -> Any:
        return np.arange(start, stop)

    def shape(self, x: Any) -> Any:
        return np.shape(x)

    def reshape(self, x: Any, shape: Sequence[int]) -> Any:
        return np.reshape(x, tuple(shape))

    def transpose(self, x: Any, axes: Sequence[int]) -> Any:
        return np.transpose(x, axes)

    def reduce(self, x: Any, operation: str, axes: Sequence[int]) -> Any:
        return getattr(np, operation)(x, axis=tuple(axes))

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        return np.stack(tensors)

    def add_axis(self, x: Any, new_position: int) -> Any:
        return np.expand_dims(x, new_position)

    def tile(self, x: Any, repeats: Sequence[int]) -> Any:
        return np.tile(x, repeats)

    def concat(self, tensors: list[Any], axis: int) -> Any:
        return np.concatenate(tensors, axis=axis)

    def is_float_type(self, x: Any) -> bool:
        return spec_of(x).inexact

    def einsum(self, pattern: str, *x: Any) -> Any:
        return np.einsum(pattern, *x)
