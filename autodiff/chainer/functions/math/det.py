"""Determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.array.reshape import reshape
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.half import in_single
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def batch_det(a: Any) -> Variable:
    """The determinants of the matrices of a batch.

    Args:
        a: floating-point numbers of shape (batch, n, n).

    Returns:
        one number for each matrix. The derivative is exact for singular matrices too.

    Raises:
        InvalidType: if they are no square matrices of floating-point numbers.

    >>> batch_det(np.array([[[1.0, 2.0], [3.0, 5.0]]]))
    variable([-1.])
    """
    return apply(
        "det",
        lambda x: in_single(np.linalg.det, x),
        (a,),
        lambda x: (x.dtype.kind == "f", x.ndim == 3, x.shape[-1] == x.shape[-2]),
    )


def det(a: Any) -> Variable:
    """The determinant of a matrix.

    Args:
        a: floating-point numbers of shape (n, n), or (n, n, 1, ...), as kernels of convolutions are.

    Returns:
        a number. The derivative is exact for a singular matrix too.

    Raises:
        InvalidType: if it is no square matrix of floating-point numbers.

    >>> det(np.array([[1.0, 2.0], [3.0, 5.0]]))
    variable(-1.)
    """
    matrix = a.shape[:2] if a.ndim > 2 and all(length == 1 for length in a.shape[2:]) else a.shape
    return reshape(batch_det(reshape(a, (1, *matrix))), ())


BatchDet = function_class("BatchDet", batch_det, label="det")
