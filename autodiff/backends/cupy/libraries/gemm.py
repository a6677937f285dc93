"""Products of stacks of matrices by cuBLAS.

CuPy's own ``matmul`` copies transposed stacks and reads broadcast ones through tables of pointers. Here every operand
is read where it lies: transposition is a flag, what is broadcast has a stride of zero, and results go to whatever
memory is given. Sums of float16 and bfloat16 are taken in float32.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autodiff.backends.cupy.libraries.blas import cublas
from autodiff.backends.cupy.libraries.precision import compute_type

CODES = {"float16": 2, "bfloat16": 14, "float32": 0, "float64": 1, "complex64": 4, "complex128": 5}
"""CUDA's numbers of the dtypes that cuBLAS multiplies."""

ALGORITHM = -1
"""cuBLAS chooses itself."""

FEW = 8
"""So many calls at most stand for what one call cannot read; beyond that what is broadcast is written out."""

SINGLE = {name: (np.array(1, name), np.array(0, name)) for name in ("float32", "float64", "complex64", "complex128")}
"""One and zero of the dtypes in which is computed; cuBLAS reads them where they lie."""


class Stack(NamedTuple):
    """How cuBLAS reads a stack of matrices.

    Attributes:
        turned: whether the elements of a column lie side by side, not those of a row.
        pitch: elements from one row, or column, to the next one.
        step: elements from one matrix to the next one; None where several steps would be needed.
    """

    turned: bool
    pitch: int
    step: int | None


def multipliable(dtype: np.dtype[Any]) -> bool:
    """Whether cuBLAS multiplies matrices of a dtype."""
    return dtype.name in CODES


def stack_of(shape: Sequence[int], strides: Sequence[int], lead: Sequence[int]) -> Stack | None:
    """How cuBLAS reads an array; None where neither rows nor columns lie together.

    Args:
        shape: of the array.
        strides: of the array, in elements.
        lead: the leading axes of the stack, to which its own are broadcast.
    """
    (rows, columns), (down, right) = shape[-2:], strides[-2:]
    if (right == 1 or columns == 1) and (down >= columns or rows == 1):
        turned, pitch = False, down if rows > 1 else columns
    elif (down == 1 or rows == 1) and (right >= rows or columns == 1):
        turned, pitch = True, right if columns > 1 else rows
    else:
        return None
    return Stack(turned, pitch, common_step(shape[:-2], strides[:-2], lead))


def common_step(shape: Sequence[int], strides: Sequence[int], lead: Sequence[int]) -> int | None:
    """The one step that leads through all leading axes; None where there is none."""
    absent = len(lead) - len(shape)
    found, expected = 0, None
    for axis in reversed(range(len(lead))):
        if lead[axis] == 1:
            continue
        broadcast = axis < absent or shape[axis - absent] == 1
        step = 0 if broadcast else strides[axis - absent]
        if expected is None:
            found = step
        elif step != expected:
            return None
        expected = step * lead[axis]
    return found if found >= 0 else None


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
    lead = out.shape[:-2]
    if out.size == 0 or x.shape[-1] == 0:
        if not add:
            out.fill(0)
        return
    target = stack_of(out.shape, elements(out), lead)
    if target is not None and target.turned:
        multiply(turned(y), turned(x), turned(out), add)
        return
    if target is None:
        apart(x, y, out, add)
        return
    x, first = readable(x, lead)
    y, second = readable(y, lead)
    if None in (first.step, second.step, target.step):
        in_parts(x, y, out, add)
    else:
        call(x, first, y, second, out, target, add)


def apart(x: Any, y: Any, out: Any, add: bool) -> None:
    """A product in memory of its own, copied to where it goes."""
    product = out.copy(order="C") if add else sys.modules["cupy"].empty(out.shape, out.dtype)
    multiply(x, y, product, add)
    out[...] = product


def turned(x: Any) -> Any:
    """The matrices transposed: the same memory, read in another way."""
    return x.swapaxes(-1, -2)


def readable(x: Any, lead: Sequence[int]) -> tuple[Any, Stack]:
    """An operand, copied if cuBLAS could not read it, and how it is read."""
    found = stack_of(x.shape, elements(x), lead)
    if found is None:
        x = sys.modules["cupy"].ascontiguousarray(x)
        found = stack_of(x.shape, elements(x), lead)
        assert found is not None
    return x, found


def in_parts(x: Any, y: Any, out: Any, add: bool) -> None:
    """A product whose stacks one call cannot go through: several calls, or what is broadcast is written out."""
    cupy, lead = sys.modules["cupy"], out.shape[:-2]
    axis = min((k for k, length in enumerate(lead) if length > 1), key=lead.__getitem__)
    if lead[axis] > FEW:
        if not goes_through(out, lead):
            apart(x, y, out, add)
            return
        x, y = (
            a if goes_through(a, lead) else cupy.ascontiguousarray(cupy.broadcast_to(a, (*lead, *a.shape[-2:])))
            for a in (x, y)
        )
        multiply(x, y, out, add)
        return
    x, y = (cupy.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (x, y))
    for k in range(lead[axis]):
        at = (slice(None),) * axis + (k,)
        multiply(x[at], y[at], out[at], add)


def goes_through(x: Any, lead: Sequence[int]) -> bool:
    """Whether one step leads through the stack."""
    return common_step(x.shape[:-2], elements(x)[:-2], lead) is not None


def call(x: Any, first: Stack, y: Any, second: Stack, out: Any, target: Stack, add: bool) -> None:
    """The call of cuBLAS, which counts columns first: it computes the transposed product of the transposed operands."""
    cupy = sys.modules["cupy"]
    library, handle = cublas(), cupy.cuda.get_cublas_handle()
    (rows, inner), columns = x.shape[-2:], y.shape[-1]
    code, single = CODES[x.dtype.name], "float32" if x.itemsize == 2 else x.dtype.name
    one, zero = SINGLE[single]
    head = (handle, int(second.turned), int(first.turned), columns, rows, inner, one.ctypes.data)
    beta, computing = (one if add else zero).ctypes.data, compute_type(single, x.itemsize)
    count = int(np.prod(out.shape[:-2], dtype=np.int64))
    if count == 1:
        library.gemmEx(
            *head, y.data.ptr, code, second.pitch, x.data.ptr, code, first.pitch,
            beta, out.data.ptr, CODES[out.dtype.name], target.pitch, computing, ALGORITHM,
        )  # fmt: skip
    else:
        library.gemmStridedBatchedEx(
            *head, y.data.ptr, code, second.pitch, second.step, x.data.ptr, code, first.pitch, first.step,
            beta, out.data.ptr, CODES[out.dtype.name], target.pitch, target.step, count, computing, ALGORITHM,
        )  # fmt: skip
