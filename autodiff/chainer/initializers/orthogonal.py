"""Random matrices with orthonormal rows or columns."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.initializers.drawing import RandomInitializer
from autodiff.trace.source import at_user_line

FITS: dict[str, Callable[[int, int], bool]] = {
    "auto": lambda outputs, inputs: True,
    "projection": operator.le,
    "embedding": operator.ge,
    "basis": operator.eq,
}
"""Which numbers of outputs and of inputs each mode takes."""


class Orthogonal(RandomInitializer):
    """``scale`` times a random matrix Q with Q'Q = 1 (more outputs than inputs) or QQ' = 1.

    An array (outputs, ...) is seen as a matrix with ``outputs`` rows. An array without axes becomes ``+-scale``.

    Args:
        scale: the factor.
        dtype: the dtype of the arrays to be made for it.
        mode: what shapes are allowed: ``"projection"`` has no more outputs than inputs, ``"embedding"`` no fewer,
            ``"basis"`` as many, ``"auto"`` any.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    Raises:
        ValueError: for another mode, and when called with an empty array or one that the mode does not allow.

    A. Saxe, J. McClelland, S. Ganguli, Exact solutions to the nonlinear dynamics of learning, 2013.

    >>> array = np.empty((3, 2))
    >>> Orthogonal(1.0)(array)
    >>> np.allclose(array.T @ array, np.eye(2))
    True
    """

    def __init__(self, scale: float = 1.1, dtype: Any = None, mode: str = "auto", **kwargs: Any) -> None:
        super().__init__(dtype, kwargs)
        if mode not in FITS:
            choices = ", ".join(map(repr, FITS))
            raise ValueError(f"Invalid mode: {mode!r}{at_user_line()}. Choose from {choices}.")
        self.scale = scale
        self.mode = mode

    def __call__(self, array: Any) -> None:
        if not array.shape:
            array[...] = self.scale * (2 * int(self._draw(array, self._integer(), low=0, high=2)) - 1)
            return
        outputs, inputs = array.shape[0], prod(array.shape[1:])
        self._check_shape(array.shape, outputs, inputs)
        normal = self._draw(array, "normal", size=(outputs, inputs))
        wide = outputs < inputs
        array[...] = (self.scale * orthonormal_columns(normal.T if wide else normal, wide)).reshape(array.shape)

    def _integer(self) -> str:
        return "integers" if isinstance(self.rng, np.random.Generator) else "randint"

    def _check_shape(self, shape: tuple[int, ...], outputs: int, inputs: int) -> None:
        if 0 in (outputs, inputs):
            raise ValueError(f"Array to be initialized must be non-empty, got shape {shape}{at_user_line()}")
        if not FITS[self.mode](outputs, inputs):
            raise ValueError(
                f"Cannot make orthogonal {self.mode}. shape = {shape}, interpreted as {inputs}-dim input and "
                f"{outputs}-dim output{at_user_line()}; mode='auto' takes any shape"
            )


def orthonormal_columns(matrix: Any, transposed: bool) -> Any:
    """The Q of QR = matrix with a positive diagonal of R, so that it is uniformly distributed."""
    xp = get_array_module(matrix)
    columns, triangle = xp.linalg.qr(matrix)
    columns = columns * xp.sign(xp.diag(triangle))
    return columns.T if transposed else columns
