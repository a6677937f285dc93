"""What functions of scipy.linalg take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.algebra.norms import inexact
from autodiff.numpy.algebra.products import shape_of
from autodiff.numpy.dispatch import as_operand
from autodiff.ops.matrices.products import column, conj
from autodiff.ops.shape import reshape
from autodiff.trace.errors import OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def array(x: Any) -> Any:
    """An array of floating-point numbers."""
    return inexact(as_operand(x))


def matrix(name: str, a: Any) -> Any:
    """A square matrix, or a stack of them."""
    a = array(a)
    shape = shape_of(a)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise OperandError(f"{name} got {spec_of(a)!r}{at_user_line()}; it needs square matrices in the last two axes")
    return a


def vector(name: str, x: Any) -> Any:
    """A vector; a number is one of length one."""
    x = array(x)
    if len(shape_of(x)) > 1:
        raise OperandError(f"{name} of traced values got {spec_of(x)!r}{at_user_line()}; it needs vectors: use vmap")
    return x if shape_of(x) else reshape(x, shape=(1,))


def with_columns(solve: Callable[[Any], Any], b: Any) -> Any:
    """A function of matrices of right-hand sides, of which a vector is one column."""
    if spec_of(b).ndim != 1:
        return solve(b)
    x = solve(column(b))
    return reshape(x, shape=shape_of(x)[:-1])


def conjugated(a: Any) -> Any:
    """The complex conjugate."""
    return conj(a)


def eye_like(a: Any) -> Any:
    """The identity of the size and dtype of matrices."""
    return np.eye(shape_of(a)[-1], dtype=spec_of(a).dtype)
