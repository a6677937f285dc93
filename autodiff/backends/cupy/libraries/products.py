"""Products of a program on a GPU: each primitive as calls of cuBLAS that copy nothing they can read where it lies.

Every function takes ``out=``, memory of the result's shape and dtype whose elements lie in C order, and returns it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.cupy.libraries.contractions import contraction
from autodiff.backends.cupy.libraries.convolutions import convolution_call
from autodiff.backends.cupy.libraries.gemm import multipliable, multiply
from autodiff.trace.spec import Spec, broadcast_shapes
from autodiff.trace.tape import Equation

Function = Callable[..., Any]


def matmul(x: Any, y: Any, out: Any = None) -> Any:
    """The products of stacks of matrices; leading axes broadcast."""
    dtype = np.result_type(x.dtype, y.dtype)
    if not multipliable(dtype):
        return sys.modules["cupy"].matmul(x, y, out=out)
    shape = (*broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1])
    out = new(shape, dtype) if out is None else out
    multiply(x.astype(dtype, copy=False), y.astype(dtype, copy=False), out)
    return out


def linear_map(x: Any, w: Any, out: Any = None) -> Any:
    """The rows of a matrix multiplied by another one."""
    return matmul(x, w.T, out)


def matvec(x: Any, v: Any, out: Any = None) -> Any:
    """Matrices times vectors; leading axes broadcast."""
    if out is None:
        shape = (*broadcast_shapes(x.shape[:-2], v.shape[:-1]), x.shape[-2])
        out = new(shape, np.result_type(x.dtype, v.dtype))
    matmul(x, v[..., None], out[..., None])
    return out


def dot(x: Any, y: Any, out: Any = None) -> Any:
    """The sum over the last axis of the first operand, and the last but one of the second or its only one."""
    dtype = np.result_type(x.dtype, y.dtype)
    half_or_more = dtype.itemsize == 2 or max(x.ndim, y.ndim) > 1
    if not multipliable(dtype) or min(x.ndim, y.ndim) == 0 or not half_or_more:
        return sys.modules["cupy"].dot(x, y, out)
    x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
    lead, own = x.shape[:-1], (*y.shape[:-2], *y.shape[-1:]) if y.ndim > 1 else ()
    out = new((*lead, *own), dtype) if out is None else out
    left, count = x.reshape(prod(lead), x.shape[-1]), prod(lead)
    if y.ndim == 1:
        multiply(left, y[:, None], out.reshape(count, 1))
    else:  # the axes of the second operand before its rows lie between the rows and columns of the result
        multiply(left, y, out.reshape(count, *own).transpose(*range(1, y.ndim - 1), 0, y.ndim - 1))
    return out


def new(shape: Sequence[int], dtype: Any) -> Any:
    """New memory on the current GPU."""
    return sys.modules["cupy"].empty(tuple(shape), dtype)


PRODUCTS: dict[str, Function] = {"matmul": matmul, "linear_map": linear_map, "matvec": matvec, "dot": dot}


def product_call(equation: Equation, specs: Sequence[Spec]) -> Function | None:
    """The function of arrays on a GPU that computes a product or convolution; None if it is anything else.

    Args:
        equation: an operation of a tape.
        specs: of the operands.

    Returns:
        a function of the operands, and of ``out=``: memory for the result, in C order.
    """
    dtype = equation.specs[0].dtype
    if not multipliable(dtype) or any(spec.kind != "array" for spec in specs):
        return None
    name = equation.primitive.name
    if name == "einsum":
        return contraction(dict(equation.params)["subscripts"], [spec.shape for spec in specs])
    if name == "dot" and max(spec.ndim for spec in specs) < 2:
        return None  # a sum of products, which a kernel of its own takes in one pass
    return PRODUCTS.get(name) or convolution_call(equation)


def evaluate_einsum(*xs: Any, subscripts: str, optimize: Any = False) -> Any:
    """An Einstein sum of arrays on a GPU."""
    if not multipliable(np.result_type(*(x.dtype for x in xs))):
        return sys.modules["cupy"].einsum(subscripts, *xs)
    return contraction(subscripts, [x.shape for x in xs])(*xs)


EVALUATORS: dict[str, Function] = {**PRODUCTS, "einsum": evaluate_einsum}
"""What the primitives of these names do to plain arrays on a GPU."""

__all__ = ["EVALUATORS", "PRODUCTS", "dot", "linear_map", "matmul", "matvec", "product_call"]
