"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.array.cast import cast
from autodiff.chainer.functions.conditions import broadcastable
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.shape import transpose


def matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """The matrix product; of two vectors the scalar product.

    Args:
        a: floating-point numbers of shape (..., n, k), or (k,).
        b: numbers of shape (..., k, m), or (k,).
        transa: whether the last two axes of ``a`` are swapped first.
        transb: whether the last two axes of ``b`` are swapped first.

    Returns:
        numbers of shape (..., n, m), without the axes that vectors lack; other axes broadcast.

    Raises:
        InvalidType: if shapes do not fit, or the numbers are no floating-point numbers.

    >>> matmul(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), transb=True)
    variable([[11.]])
    """
    if plain_matrices(a, b) and not transa and not transb:
        return a @ b
    return apply(
        "MatMul",
        lambda a, b: swapped(a, transa) @ swapped(b, transb),
        (a, b),
        lambda a, b: (
            a.dtype.kind == "f",
            b.dtype.kind == "f",
            a.ndim >= 1,
            b.ndim >= 1,
            inner(a, 1, transa) == inner(b, 2, transb),
            broadcastable(a.shape[:-2], b.shape[:-2]),
        ),
    )


def plain_matrices(a: Any, b: Any) -> bool:
    """Whether both are Variables that hold matrices which fit: the case that needs no look at anything else."""
    return (
        isinstance(a, Variable)
        and isinstance(b, Variable)
        and a.ndim == b.ndim == 2
        and a.dtype == b.dtype
        and a.dtype.kind == "f"
        and a.shape[1] == b.shape[0]
    )


def swapped(x: Any, swap: bool) -> Any:
    """The matrices, transposed if so wanted; vectors as they are."""
    return transpose(x, axes=(-1, -2)) if swap and len(x.shape) > 1 else x


def inner(x: Any, place: int, swap: bool) -> Any:
    """The length of the axis that is summed: the given one from the end, the other one if swapped."""
    if len(shape_of(x)) == 1:
        return x.shape[0 if place == 2 else -1]
    return x.shape[-(3 - place if swap else place)]


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape itself, also of an expression."""
    shape: tuple[int, ...] = getattr(x, "value", x).shape
    return shape


def batch_matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """The products of the matrices of two batches. :func:`matmul` does the same and more.

    Args:
        a: floating-point numbers of shape (batch, n, k); (batch, k) is taken as (batch, k, 1).
        b: numbers of shape (batch, k, m); (batch, k) is taken as (batch, k, 1).
        transa: whether the matrices of ``a`` are transposed first.
        transb: whether the matrices of ``b`` are transposed first.

    Returns:
        numbers of shape (batch, n, m).

    Raises:
        InvalidType: if shapes do not fit, or the numbers are no floating-point numbers.

    >>> batch_matmul(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), transa=True)
    variable([[[11.]]])
    """
    return apply(
        "BatchMatMul",
        lambda a, b: np.matmul(swapped(as_matrices(a), transa), swapped(as_matrices(b), transb)),
        (a, b),
        lambda a, b: (
            a.dtype.kind == "f",
            b.dtype.kind == "f",
            a.ndim >= 2,
            a.ndim <= 3,
            b.ndim >= 2,
            b.ndim <= 3,
            a.shape[0] == b.shape[0],
            inner_of_batch(a, 2, transa) == inner_of_batch(b, 1, transb),
        ),
    )


def as_matrices(x: Any) -> Any:
    """Vectors as matrices with one column."""
    return np.reshape(x, (*x.shape, 1)) if x.ndim == 2 else x


def inner_of_batch(x: Any, place: int, swap: bool) -> Any:
    """The length of the axis that is summed; the last axis of vectors, taken as matrices, has length one."""
    place = 3 - place if swap else place
    return 1 if place >= len(shape_of(x)) else x.shape[place]


def product_of(a: Any, b: Any, transa: bool, transb: bool, transc: bool, dtype: Any) -> Any:
    """A product that may be transposed, in a dtype."""
    y = matmul(a, b, transa, transb)
    y = np.swapaxes(y, -1, -2) if transc else y  # type: ignore[assignment]
    return y if dtype is None else cast(y, dtype)


MatMul = function_class(
    "MatMul",
    product_of,
    "transa=False, transb=False, transc=False, dtype=None",
    computed={"transa": always(False), "transb": always(False), "transc": always(False), "dtype": always(None)},
)
BatchMatMul = function_class("BatchMatMul", batch_matmul, "transa=False, transb=False")
