"""What functions of scipy.linalg take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.algebra.norms import inexact
from autodiff.numpy.algebra.products import shape_of
from autodiff.numpy.dispatch import as_operand
from autodiff.ops.elementwise import cast
from autodiff.ops.matrices.products import column, conj
from autodiff.ops.shape import reshape
from autodiff.trace.errors import OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def elements(x: Any) -> Any:
    """An array of floating-point numbers, which are only moved, added or multiplied."""
    return inexact(as_operand(x))


def array(x: Any) -> Any:
    """An array of floating-point numbers as LAPACK takes them: halves in single precision."""
    x = elements(x)
    return cast(x, dtype=np.dtype(np.float32)) if spec_of(x).dtype == np.float16 else x


def double(x: Any) -> Any:
    """An array in double precision, in which some of SciPy's functions compute."""
    x = elements(x)
    return cast(x, dtype=np.result_type(spec_of(x).dtype, np.float64))


def matrix(name: str, a: Any) -> Any:
    """A square matrix, or a stack of them."""
    a = array(a)
    shape = shape_of(a)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise OperandError(f"{name} got {spec_of(a)!r}{at_user_line()}; it needs square matrices in the last two axes")
    return a


def vector(name: str, x: Any) -> Any:
    """A vector; a number is one of length one."""
    x = elements(x)
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
