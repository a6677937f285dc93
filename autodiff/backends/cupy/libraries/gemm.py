"""Products of stacks of matrices by cuBLAS.

CuPy's own ``matmul`` copies transposed stacks and reads broadcast ones through tables of pointers. Here every operand
is read where it lies: transposition is a flag, what is broadcast has a stride of zero, and results go to whatever
memory is given. A stack that is multiplied by one matrix is one tall matrix. Sums of float16 and bfloat16 are taken in
float32.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.cupy.libraries import layouts
from autodiff.backends.cupy.libraries.blas import cublas
from autodiff.backends.cupy.libraries.copies import in_order
from autodiff.backends.cupy.libraries.layouts import Plan, common_step, known_plan, stack_of
from autodiff.backends.cupy.libraries.precision import compute_type

CODES = {"float16": 2, "bfloat16": 14, "float32": 0, "float64": 1, "complex64": 4, "complex128": 5}
"""CUDA's numbers of the dtypes that cuBLAS multiplies."""

ALGORITHM = -1
"""cuBLAS chooses itself."""

FEW = 8
"""So many calls at most stand for what one call cannot read; beyond that what is broadcast is written out."""

NUMBERS = {name: np.array((1, 0), name) for name in ("float32", "float64", "complex64", "complex128")}
"""One and zero of the dtypes in which is computed."""

SINGLE = {name: (pair.ctypes.data, pair.ctypes.data + pair.itemsize) for name, pair in NUMBERS.items()}
"""Where they lie: cuBLAS reads them there."""


def multipliable(dtype: np.dtype[Any]) -> bool:
    """Whether cuBLAS multiplies matrices of a dtype."""
    return dtype.name in CODES


def elements(array: Any) -> tuple[int, ...]:
    """The strides of an array, in elements."""
    return tuple(stride // array.itemsize for stride in array.strides)


def multiply(x: Any, y: Any, out: Any, add: bool = False) -> None:
    """Write x @ y to memory.

    Args:
        x: stacks of matrices of a dtype that cuBLAS knows.
        y: of the same dtype.
        out: where the product goes: of the same dtype, or float32 for operands in half precision. Its leading axes are
            those to which the operands' broadcast; it overlaps with none of them.
        add: whether it is added to what is there.
    """
    if out.size == 0 or x.shape[-1] == 0:
        if not add:
            out.fill(0)
        return
    plan = known_plan(x.shape, x.strides, y.shape, y.strides, out.shape, out.strides, x.itemsize, out.itemsize)
    if plan is None:
        in_steps(x, y, out, add)
    else:
        call(plan, x, y, out, add)


def in_steps(x: Any, y: Any, out: Any, add: bool) -> None:
    """A product that is no single call: operands are copied, or there are several calls."""
    lead = out.shape[:-2]
    if max(*out.shape[-2:], x.shape[-1], prod(lead)) > layouts.MOST:
        in_halves(x, y, out, add)
        return
    target = stack_of(out.shape, elements(out), lead)
    if target is None:
        apart(x, y, out, add)
        return
    if target.turned:
        x, y, out = turned(y), turned(x), turned(out)
    one, other = readable(x, lead), readable(y, lead)
    if one is x and other is y:
        in_parts(x, y, out, add)
    else:
        multiply(one, other, out, add)


def in_halves(x: Any, y: Any, out: Any, add: bool) -> None:
    """A product that has more of something than cuBLAS counts: two products of half as many."""
    (rows, columns), inner, lead = out.shape[-2:], x.shape[-1], out.shape[:-2]
    if rows > layouts.MOST:
        for half in halves(rows):
            multiply(x[..., half, :], y, out[..., half, :], add)
    elif columns > layouts.MOST:
        for half in halves(columns):
            multiply(x, y[..., half], out[..., half], add)
    elif inner > layouts.MOST:
        first, second = halves(inner)
        multiply(x[..., first], y[..., first, :], out, add)
        multiply(x[..., second], y[..., second, :], out, True)
    else:
        x, y = (sys.modules["cupy"].broadcast_to(a, (*lead, *a.shape[-2:])) for a in (x, y))
        axis = max(range(len(lead)), key=lead.__getitem__)
        for half in halves(lead[axis]):
            at = (slice(None),) * axis + (half,)
            multiply(x[at], y[at], out[at], add)


def halves(length: int) -> tuple[slice, slice]:
    """The first and the second half of an axis."""
    return slice(0, length // 2), slice(length // 2, length)


def apart(x: Any, y: Any, out: Any, add: bool) -> None:
    """A product in memory of its own, copied to where it goes."""
    product = in_order(out) if add else sys.modules["cupy"].empty(out.shape, out.dtype)
    multiply(x, y, product, add)
    out[...] = product


def turned(x: Any) -> Any:
    """The matrices transposed: the same memory, read in another way."""
    return x.swapaxes(-1, -2)


def readable(x: Any, lead: Sequence[int]) -> Any:
    """An operand, copied if cuBLAS could not read it."""
    return x if stack_of(x.shape, elements(x), lead) is not None else in_order(x)


def in_parts(x: Any, y: Any, out: Any, add: bool) -> None:
    """A product whose stacks one call cannot go through: several calls, or what is broadcast is written out."""
    cupy, lead = sys.modules["cupy"], out.shape[:-2]
    axis = min((k for k, length in enumerate(lead) if length > 1), key=lead.__getitem__)
    if lead[axis] > FEW:
        if not goes_through(out, lead):
            apart(x, y, out, add)
            return
        x, y = (a if goes_through(a, lead) else in_order(cupy.broadcast_to(a, (*lead, *a.shape[-2:]))) for a in (x, y))
        multiply(x, y, out, add)
        return
    x, y = (cupy.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (x, y))
    for k in range(lead[axis]):
        at = (slice(None),) * axis + (k,)
        multiply(x[at], y[at], out[at], add)


def goes_through(x: Any, lead: Sequence[int]) -> bool:
    """Whether one step leads through the stack."""
    return common_step(x.shape[:-2], elements(x)[:-2], lead) is not None


def call(plan: Plan, x: Any, y: Any, out: Any, add: bool) -> None:
    """The call of cuBLAS."""
    library, handle = cublas(), sys.modules["cupy"].cuda.get_cublas_handle()
    code, single = CODES[x.dtype.name], "float32" if x.itemsize == 2 else x.dtype.name
    one, zero = SINGLE[single]
    (left, right), (first, second, target) = (y, x) if plan.swapped else (x, y), plan[1:4]
    head = (handle, int(second.turned), int(first.turned), plan.columns, plan.rows, plan.inner, one)
    beta, computing = one if add else zero, compute_type(single, x.itemsize)
    if plan.matrices == 1:
        library.gemmEx(
            *head, right.data.ptr, code, second.pitch, left.data.ptr, code, first.pitch,
            beta, out.data.ptr, CODES[out.dtype.name], target.pitch, computing, ALGORITHM,
        )  # fmt: skip
    else:
        library.gemmStridedBatchedEx(
            *head, right.data.ptr, code, second.pitch, second.step, left.data.ptr, code, first.pitch, first.step,
            beta, out.data.ptr, CODES[out.dtype.name], target.pitch, target.step, plan.matrices, computing, ALGORITHM,
        )  # fmt: skip
