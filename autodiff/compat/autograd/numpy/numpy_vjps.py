"""What rules for functions that broadcast are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.ops.shape import sum_to

Function = Callable[..., Any]


def unbroadcast(x: Any, target_meta: Any, broadcast_idx: int = 0) -> Any:
    """A cotangent summed to the shape of what was broadcast, of which this is the metadata; real where that is."""
    shape, _, _, is_complex = target_meta
    found = sum_to(x, tuple(shape))
    return found if is_complex or not np.iscomplexobj(found) else np.real(found)


def unbroadcast_f(target: Any, f: Function) -> Function:
    """The pullback ``f`` of a function that broadcasts, with its result summed to the shape of ``target``."""
    meta = np.shape(target), np.ndim(target), np.result_type(target), np.iscomplexobj(target)
    return lambda g: unbroadcast(f(g), meta)


def balanced_eq(x: Any, z: Any, y: Any) -> Any:
    """1 where x equals z, shared with y where that does too."""
    return (x == z) / (1.0 + (x == y))


def replace_zero(x: Any, val: Any) -> Any:
    """The elements of ``x``, and ``val`` in the places of zeros."""
    return np.where(x, x, val)


def match_complex(target: Any, x: Any) -> Any:
    """A value made real, or complex, as another one is."""
    if np.iscomplexobj(x) and not np.iscomplexobj(target):
        return np.real(x)
    return x + 0j if np.iscomplexobj(target) and not np.iscomplexobj(x) else x


def repeat_to_match_shape(g: Any, shape: Any, dtype: Any, axis: Any, keepdims: bool) -> tuple[Any, float]:
    """What belongs to a reduction, repeated along its axes, and how many elements it was made of."""
    if shape == ():
        return g, 1
    axes = tuple(range(len(shape))) if axis is None else tuple(np.atleast_1d(axis) % len(shape))
    kept = tuple(1 if k in axes else length for k, length in enumerate(shape))
    return np.reshape(g, kept) + np.zeros(shape, dtype), float(np.prod([shape[k] for k in axes]))
