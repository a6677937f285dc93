"""Functions whose results NumPy lays out in memory otherwise than what computes them here does.

A later reshape of the result shares memory or not by its layout, and the orders ``"A"`` and ``"K"`` read by it. Where
only shapes are known this costs nothing, since nothing can depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import contiguous, copied, laid_out_like
from autodiff.numpy.arrays.outline import known
from autodiff.numpy.dispatch import ABSENT, FUNCTIONS, as_operand, first_parameter
from autodiff.trace.traced import Traced

Layout = Callable[[Any, Any], Any]
"""Gives the result, laid out as NumPy does, from the first argument and the result."""


def in_c_order(x: Any, out: Any) -> Any:
    """Functions that fill a new array in C order."""
    return contiguous(out)


def like_the_argument(x: Any, out: Any) -> Any:
    """Functions that start with a copy of their argument, or with an empty array like it."""
    plain, result = known(x), known(out)
    if not isinstance(plain, np.ndarray) or not isinstance(result, np.ndarray):
        return out
    return laid_out_like(out, np.empty_like(plain, result.dtype, shape=result.shape))


def fortran_for_fortran(x: Any, out: Any) -> Any:
    """Functions that fill a new array in C order, or in Fortran's where their argument lies so."""
    plain, result = known(x), known(out)
    if not isinstance(plain, np.ndarray) or not isinstance(result, np.ndarray):
        return out
    return laid_out_like(out, np.empty(result.shape, result.dtype, "F" if plain.flags.fnc else "C"))


def laying_out(function: Callable[..., Any], layout: Layout) -> Callable[..., Any]:
    """A function whose traced results are laid out as NumPy's."""
    name = first_parameter(function)

    @wraps(function)
    def call(x: Any = ABSENT, *args: Any, **kwargs: Any) -> Any:
        if x is ABSENT:
            return call(kwargs.pop(name), **kwargs) if name in kwargs else function(**kwargs)
        out = function(x, *args, **kwargs)
        if isinstance(out, (tuple, list)):
            return type(out)([layout(x, part) if isinstance(part, Traced) else part for part in out])
        return layout(x, out) if isinstance(out, Traced) and "out" not in kwargs else out

    return call


def on_a_copy(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that NumPy runs on a copy of its first argument: it differs where elements share memory."""
    name = first_parameter(function)

    @wraps(function)
    def call(x: Any = ABSENT, *args: Any, **kwargs: Any) -> Any:
        if x is ABSENT:
            return call(kwargs.pop(name), **kwargs) if name in kwargs else function(**kwargs)
        x = as_operand(x)
        return function(copied(x) if 0 in getattr(known(x), "strides", ()) else x, *args, **kwargs)

    return call


# fmt: off
LAYOUTS: dict[Layout, tuple[Callable[..., Any], ...]] = {
    in_c_order: (np.take, np.compress, np.repeat, np.choose, np.select),
    like_the_argument: (np.sort, np.partition, np.gradient, np.piecewise),
    fortran_for_fortran: (np.pad, np.insert),
}
# fmt: on
ON_A_COPY = (
    np.nansum,
    np.nanprod,
    np.nanmean,
    np.nanvar,
    np.nanstd,
    np.nancumsum,
    np.nancumprod,
    np.nan_to_num,
)  # fmt: skip


def install() -> None:
    """Lay out the results of these functions as NumPy does."""
    for layout, functions in LAYOUTS.items():
        for function in functions:
            FUNCTIONS[function] = laying_out(FUNCTIONS[function], layout)
    for function in ON_A_COPY:
        FUNCTIONS[function] = on_a_copy(FUNCTIONS[function])
