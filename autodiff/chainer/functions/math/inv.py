"""Inverse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.half import in_single
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def inv(a: Any) -> Variable:
    """The inverse of a matrix.

    Args:
        a: floating-point numbers of shape (n, n).

    Raises:
        ValueError: if the matrix is singular.
        InvalidType: if it is no square matrix of floating-point numbers.

    >>> inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
    variable([[0.5 , 0.  ],
              [0.  , 0.25]])
    """
    return apply("Inv", inverse, (a,), lambda a: (a.dtype.kind == "f", a.ndim == 2, a.shape[0] == a.shape[1]))


def batch_inv(a: Any) -> Variable:
    """The inverses of the matrices of a batch.

    Args:
        a: floating-point numbers of shape (batch, n, n).

    Raises:
        ValueError: if a matrix is singular.
        InvalidType: if they are no square matrices of floating-point numbers.

    >>> batch_inv(np.array([[[2.0, 0.0], [0.0, 4.0]]]))
    variable([[[0.5 , 0.  ],
               [0.  , 0.25]]])
    """
    return apply("BatchInv", inverse, (a,), lambda a: (a.dtype.kind == "f", a.ndim == 3, a.shape[-1] == a.shape[-2]))


def inverse(a: Any) -> Any:
    """The inverse matrices, also in half precision."""
    try:
        return in_single(np.linalg.inv, a)
    except np.linalg.LinAlgError:
        raise ValueError(f"Input has singular matrices{at_user_line()}") from None


BatchInv = function_class("BatchInv", batch_inv)
Inv = function_class("Inv", inv)
