"""Clipping of the norm of all gradients together."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_device_from_array
from autodiff.chainer.hyperparameter import weak


class GradientClipping:
    """``grad * min(1, threshold / norm)``, where ``norm`` is that of the gradients of all parameters together.

    Args:
        threshold: the greatest norm that is left alone.

    A gradient that is not finite makes all of them so.

    R. Pascanu, T. Mikolov, Y. Bengio, On the difficulty of training recurrent neural networks, 2013.
    """

    name = "GradientClipping"
    timing = "pre"

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def __call__(self, opt: Any) -> None:
        """Scale the gradients of ``opt.target``; parameters without a gradient count as zeros."""
        params = [param for param in opt.target.params(False) if param.grad is not None]
        norm = sqrt(sum(squared_norm(param.grad) / (param._loss_scale or 1.0) ** 2 for param in params))
        if not norm <= self.threshold:  # also when it is NaN
            rate = weak(self.threshold) / norm
            for param in params:
                with param.device.create_context():
                    param.grad = param.xp.asarray(param.grad * rate)


def gradient_norm(params: Iterable[Any]) -> float:
    """The Euclidean norm of the gradients of all parameters together."""
    return sqrt(sum(squared_norm(param.grad) for param in params if param.grad is not None))


def sum_of_squares(arrays: Iterable[Any]) -> float:
    """The sum of the squares of all elements of all arrays.

    >>> sum_of_squares([np.array([1.0, 2.0]), np.array(3.0)])
    14.0
    """
    return float(sum(squared_norm(array) for array in arrays))


_sum_sqnorm = sum_of_squares  # the name by which programs know it


def squared_norm(array: Any) -> float:
    """The sum of the squares of all elements, of float16 elements in float32."""
    with get_device_from_array(array).create_context():
        flat = array.ravel()
        if flat.dtype == np.float16:
            flat = flat.astype(np.float32)
        return float(flat.dot(flat))
