"""The orders ``"C"``, ``"F"``, ``"A"``, ``"K"`` in which elements are read from memory, and results laid out in them.

Where only shapes are known memory has no order: what depends on it is an error, and copies are laid out as they come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known, permuted
from autodiff.ops.creation import copy as copy_of
from autodiff.ops.shape import reshape
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec
from autodiff.trace.values.layout import alike


def memory_order(name: str, x: Any, order: str | None) -> str:
    """``"C"`` or ``"F"``; for order ``"A"`` what the array's memory says."""
    if order is None:
        return "C"
    if order.upper() in ("C", "F"):
        return order.upper()
    if order.upper() != "A":
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    flags = getattr(known_layout(name, x, order), "flags", None)
    return "F" if flags is not None and flags.fnc else "C"


def known_layout(name: str, x: Any, order: str) -> Any:
    """The plain array, whose memory decides; unless every layout gives the same, its absence is an error."""
    value = known(x)
    if isinstance(value, Spec) and sum(length != 1 for length in value.shape) > 1:
        raise ConcretizationError(
            f"{name}(order={order!r}) depends on the memory of a traced {value!r}{at_user_line()}, of which only the "
            "shape is known; choose order 'C' or 'F'"
        )
    return value


def axes_in_memory(array: Any) -> list[int]:
    """The axes by their strides, the longest first; where a stride is zero NumPy is asked, by a corner of the array."""
    if isinstance(array, np.ndarray) and 0 in array.strides:
        corner = array[(slice(2),) * array.ndim]
        array = np.equal(corner, corner)
    return sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))


def in_memory_order(name: str, x: Any) -> Any:
    """``x`` with its axes ordered as they lie in memory."""
    value = known_layout(name, x, "K")
    order = axes_in_memory(value) if hasattr(value, "strides") else []
    return permuted(x, np.transpose, order) if order != sorted(order) else x


def contiguous(x: Any) -> Any:
    """``x``, copied unless its elements lie in memory one after another in C order."""
    value = known(x)
    if not isinstance(value, np.ndarray) or value.flags.c_contiguous:
        return x
    if value.ndim == 1:
        return copy_of(x)
    flat = reshape(x, shape=(value.size,))
    ours = known(flat)  # not where only shapes are known of what is made
    in_order = isinstance(ours, np.ndarray) and ours.flags.c_contiguous
    return reshape(flat if in_order else copy_of(flat), shape=value.shape)


def arranged(x: Any, axes: list[int]) -> Any:
    """``x`` without gaps in memory, its axes there in the given order; copied if they are not."""
    if axes == sorted(axes):
        return contiguous(x)
    return permuted(contiguous(permuted(x, np.transpose, axes)), np.transpose, np.argsort(axes).tolist())


def copied(x: Any, order: str = "K") -> Any:
    """The same elements in memory of their own, laid out as ``np.copy`` does in an order."""
    return in_own_memory(laid_out(x, order), x)


def in_own_memory(new: Any, x: Any) -> Any:
    """What was made of ``x``, copied if it is still the same memory, or where that is not known."""
    ours, theirs = known(new), known(x)
    known_to_differ = isinstance(ours, np.ndarray) and new is not x and not np.may_share_memory(ours, theirs)
    return new if known_to_differ else copy_of(new)


def laid_out(x: Any, order: str | None) -> Any:
    """``x``, copied if it does not lie in memory as a new array in an order would; ``"K"`` takes any."""
    value = known(x)
    if not isinstance(value, np.ndarray) or order in ("K", "k", None):
        return x
    fortran = memory_order("copy", x, order) == "F"
    if value.flags.f_contiguous if fortran else value.flags.c_contiguous:
        return x
    return arranged(x, list(range(value.ndim))[:: -1 if fortran else 1])


def laid_out_by(result: Any, function: Callable[..., Any], x: Any, *args: Any) -> Any:
    """A result, laid out as what NumPy's function gives of numbers that lie as those of ``x`` do."""
    value = known(x)
    return laid_out_like(result, function(alike(value, np.int8), *args)) if isinstance(value, np.ndarray) else result


def laid_out_like(x: Any, pattern: np.ndarray[Any, Any]) -> Any:
    """``x``, copied if it does not lie in memory as another array without gaps of the same shape."""
    value = known(x)
    if not isinstance(value, np.ndarray) or value.strides == pattern.strides:
        return x
    return arranged(x, axes_in_memory(pattern))
