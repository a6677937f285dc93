"""Values brought to the specs that a body was recorded for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer
from autodiff.ops.elementwise import cast, python_number
from autodiff.ops.index import slice_of
from autodiff.trace.recording import is_recording
from autodiff.trace.spec import Spec, native, result_spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.values.arrays import is_array, on_gpu
from autodiff.trace.values.layout import writable


def settled(spec: Spec) -> Spec:
    """The spec with which a value goes round a loop: a Python number, or what NumPy's functions return."""
    return spec if spec.kind == "python" else result_spec(spec.shape, native(spec.dtype))


def conformed(value: Any, spec: Spec) -> Any:
    """A value of the right shape, of the dtype and kind of ``spec``."""
    own = spec_of(value)
    if own == spec:
        return value
    if spec.kind == "python":
        return python_number(value) if isinstance(value, Traced) or on_gpu(value) else spec.dtype.type(value).item()
    if own.dtype != spec.dtype or own.kind == "python":
        value = cast(value, dtype=spec.dtype)
    if spec.kind == "scalar" and own.kind == "array" and (type(value) is np.ndarray or isinstance(value, Traced)):
        return slice_of(value, key=())
    return value


def all_conformed(values: Sequence[Any], specs: Sequence[Spec]) -> list[Any]:
    """Values brought to their specs one by one."""
    return [conformed(value, spec) for value, spec in zip(values, specs, strict=True)]


def fillable(value: Any) -> Any:
    """The value as the body of a loop gets it: where something is traced, traced values can be written to it.

    It is a copy, because what the body returned may be an array that others hold.
    """
    is_plain = type(value) is np.ndarray and value.dtype.kind in "fc" and is_recording()
    return Buffer(writable(value)) if is_plain else value


def unshared(value: Any, operands: Sequence[Any]) -> Any:
    """The value in memory that no operand can be changed through."""
    if is_array(value) and any(type(o) is type(value) and np.may_share_memory(value, o) for o in operands):
        return writable(value) if isinstance(value, np.ndarray) else value.copy()
    return value
