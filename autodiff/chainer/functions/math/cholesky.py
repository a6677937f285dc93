"""The Cholesky decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable
from autodiff.transforms.stop_gradient import stop_gradient


def cholesky(a: Any) -> Variable:
    """The lower triangular L with positive diagonal and L L^T = a.

    Args:
        a: a positive definite matrix, of which the lower triangle is read.

    Returns:
        L. The derivative is a symmetric matrix.

    Raises:
        InvalidType: if it is no square matrix of floating-point numbers.
        LinAlgError: if it is not positive definite.

    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    variable([[2., 0.],
              [1., 2.]])
    """
    return apply("cholesky", factor, (a,), lambda a: (a.dtype.kind == "f", a.ndim == 2, a.shape[0] == a.shape[1]))


def factor(a: Any) -> Any:
    """The factor of the lower triangle, whose derivative is shared with the upper one."""
    whole = np.tril(a) + np.swapaxes(np.tril(a, -1), -1, -2)
    shared = (a + np.swapaxes(a, -1, -2)) / 2
    return np.linalg.cholesky(shared + as_array(stop_gradient(whole - shared)))


Cholesky = function_class("Cholesky", cholesky, label="cholesky")
