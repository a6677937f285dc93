"""A function on the device beside the same function on NumPy's arrays in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.gpu import require
from autodiff.testing.gpu.item import check
from autodiff.trace.trees.tree import flatten

TOLERANCE = 2e-5


def doubled(array: Any) -> Any:
    """Floats in double precision; all else as it is."""
    return array.astype(np.float64) if array.dtype.kind in "fV" else array


def worst(found: Any, right: Any) -> float:
    """The largest error in proportion to the largest element, over all results."""
    errors = [0.0]
    for own, needed in zip(flatten(found)[0], flatten(right)[0], strict=True):
        check(isinstance(own, require().ndarray), f"a result is {type(own).__name__}, no array on the device")
        check(own.shape == np.shape(needed), f"shape {own.shape}, needed {np.shape(needed)}")
        host, wide = doubled(own.get()), np.asarray(needed, np.float64)
        if wide.size:
            errors.append(float(np.max(np.abs(host - wide)) / (np.max(np.abs(wide)) or 1.0)))
    return max(errors, key=lambda error: np.inf if np.isnan(error) else error)


def compared(
    function: Callable[..., Any], *arguments: Any, calls: int = 1, tolerance: float = TOLERANCE, kind: Any = None
) -> tuple[float, Any, list[Any]]:
    """The error of the last of so many calls under jit, the compiled function and its arguments on the device.

    Args:
        function: of arrays.
        arguments: of NumPy.
        calls: how often it is called; every result is compared.
        tolerance: that no error may exceed.
        kind: the dtype in which floats are given; theirs if None.
    """
    cupy, run = require(), autodiff.jit(function)
    right = function(*map(doubled, arguments))
    there = [
        cupy.asarray(x) if kind is None or x.dtype.kind != "f" else cupy.asarray(x).astype(kind) for x in arguments
    ]
    error = 0.0
    for call in range(calls):
        error = worst(run(*there), right)
        check(error <= tolerance, f"call {call + 1} is off by {error:.3g}, allowed {tolerance:.3g}")
    return error, run, there
