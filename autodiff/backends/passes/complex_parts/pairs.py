"""Arrays of complex numbers as arrays of pairs, which lie in the same memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.ops.elementwise import from_parts, imag, python_number, real
from autodiff.ops.index import slice_of
from autodiff.ops.join import stack
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Operand


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the parts of numbers of a dtype: its own where they are real."""
    found: np.dtype[Any] = np.empty(0, dtype).real.dtype
    return found


REAL = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
"""The dtypes of the parts, at hand where programs run."""


def evaluate_pairs(z: Any) -> Any:
    """The parts of the elements along a new last axis: in the same memory, if that is in order."""
    z = z if z.flags.c_contiguous else z.copy("C")
    return z[..., None].view(REAL.get(z.dtype) or real_dtype(z.dtype))


def evaluate_unpaired(x: Any, *, dtype: Any) -> Any:
    """The complex numbers whose parts lie along the last axis, in the same memory."""
    x = x if x.flags.c_contiguous else x.copy("C")
    return x.view(dtype)[..., 0]


def internal(name: str, evaluate: Callable[..., Any], result: Callable[..., Spec]) -> Primitive:
    """An operation that compiled programs alone have: it has no derivative, and is on no tape of a user's."""
    return Primitive(name, "linear", ("x",), evaluate, result, {}, view=True, params=None, register=False)


pairs = internal("pairs", evaluate_pairs, lambda z: spec((*z.shape, 2), real_dtype(z.dtype)))
unpaired = internal("unpaired", evaluate_unpaired, lambda x, *, dtype: spec(x.shape[:-1], dtype))


def taken_apart(builder: Builder, whole: Operand) -> tuple[Operand, Operand]:
    """The parts of a complex value: views of an array, numbers of a number."""
    if builder.spec(whole).kind != "array":
        return builder.emit(real, whole), builder.emit(imag, whole)
    both = builder.emit(pairs, whole)
    return builder.emit(slice_of, both, key=(0,)), builder.emit(slice_of, both, key=(1,))


def put_together(builder: Builder, x: Operand, y: Operand, own: Spec) -> Operand:
    """The complex value of some spec with these parts."""
    if own.kind == "array":
        return builder.emit(unpaired, paired(builder, x, y), dtype=own.dtype)
    found = builder.emit(from_parts, x, y)
    return builder.emit(python_number, found) if own.kind == "python" else found


def paired(builder: Builder, x: Operand, y: Operand) -> Operand:
    """An array with these parts along a new last axis: the one that they were taken from, if there is one."""
    one, other = builder.made(x, "slice_of"), builder.made(y, "slice_of")
    if one is not None and other is not None and one.operands == other.operands:
        (whole,) = one.operands
        keys = [dict(equation.params)["key"] for equation in (one, other)]
        if keys == [(0,), (1,)] and builder.spec(whole).shape[-1] == 2:
            return whole
    return builder.emit(stack, x, y, axis=-1)
