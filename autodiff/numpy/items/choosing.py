"""NumPy's functions that choose between arrays, or pick elements by a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known
from autodiff.numpy.arrays.shapes import ravel
from autodiff.numpy.dispatch import as_operand, implements, peeled, write_whole
from autodiff.numpy.items.indexing import index
from autodiff.numpy.items.keys import as_index
from autodiff.ops import elementwise as ew
from autodiff.ops.creation import copy, full
from autodiff.ops.index import slice_of
from autodiff.ops.shape import broadcast_to
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, broadcast_shapes, common_dtype, spec_of
from autodiff.trace.values.arrays import index_module


@implements(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """At each place the element of the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [as_operand(condition) for condition in condlist]
    for k, condition in enumerate(conditions):
        if spec_of(condition).dtype != bool:
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    choices = [as_operand(choice) for choice in (*choicelist, default)]
    shape = broadcast_shapes(*(spec_of(part).shape for part in (*conditions, *choices)))
    dtype = common_dtype(*map(spec_of, choices))
    *choices, result = (_as_dtype(choice, dtype) for choice in choices)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = ew.where(condition, choice, result)
    if spec_of(result).shape != shape:
        return copy(broadcast_to(result, shape=shape))
    return result if shape else copy(result)


def _as_dtype(x: Any, dtype: np.dtype[Any]) -> Any:
    return x if spec_of(x).dtype == dtype and spec_of(x).kind != "python" else ew.cast(x, dtype=dtype)


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """At each place the element of the choice whose number ``a`` has there."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"np.choose has no mode {mode!r}{at_user_line()}; the modes are 'raise', 'wrap' and 'clip'")
    options = [as_operand(choice) for choice in choices]
    which = as_operand(a)
    if not np.can_cast(spec_of(which).dtype, np.intp, "same_kind"):
        raise TypeError(
            f"Cannot cast array data from {spec_of(which).dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    which = _in_range(which, len(options), mode)
    dtype = common_dtype(*map(spec_of, options))
    result = _as_dtype(options[0], dtype)
    for k, option in enumerate(options[1:], 1):
        result = ew.where(ew.equal(which, k), _as_dtype(option, dtype), result)
    shape = broadcast_shapes(spec_of(which).shape, *(spec_of(option).shape for option in options))
    if spec_of(result).shape != shape or len(options) == 1:
        result = copy(broadcast_to(result, shape=shape))
    result = result if shape else slice_of(copy(result), key=())  # NumPy returns a scalar
    return result if out is None else write_whole(out, result)


def _in_range(which: Any, count: int, mode: str) -> Any:
    if mode == "wrap":
        return ew.remainder(which, count)
    if mode == "clip":
        return ew.clip(which, 0, count - 1)
    plain = known(which)
    if isinstance(plain, Spec):
        raise ConcretizationError(
            f"np.choose(mode='raise') must look at its first argument{at_user_line()}, of which only the shape "
            "is known; use mode 'clip' or 'wrap'"
        )
    if np.any(np.less(plain, 0)) or np.any(np.greater_equal(plain, count)):
        raise ValueError("invalid entry in choice array")
    return which


@implements(np.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """The slices along an axis for which the condition holds; the condition must be known."""
    a = as_operand(a)
    if axis is None:
        a, axis = ravel(a), 0
    mask = as_index(peeled(condition, "np.compress"))
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    places = np.flatnonzero(mask)
    axis = int(np.lib.array_utils.normalize_axis_index(axis, spec_of(a).ndim))
    result = index(a, (*(slice(None),) * axis, places))
    return result if out is None else write_whole(out, result)


@implements(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """The elements for which the condition holds; the condition must be known."""
    return index(ravel(arr), np.flatnonzero(as_index(peeled(condition, "np.extract"))))


@implements(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """At each place the function, or number, whose condition holds; the last one that does, as in NumPy.

    Where the conditions are known each function gets the elements that it is responsible for. Where only shapes are
    known each gets all elements, and np.where picks.
    """
    x = as_operand(x)
    conditions = _conditions(x, condlist, len(funclist))
    its = spec_of(x)
    y = full(x, 0, shape=its.shape, dtype=its.dtype)
    for condition, function in zip(conditions, funclist):
        y = _piece(x, y, condition, function, args, kw)
    return y


def _conditions(x: Any, condlist: Any, count: int) -> list[Any]:
    alone = not isinstance(condlist, (list, tuple)) and not spec_of(condlist).shape
    first = condlist if alone else condlist[0]
    if alone or (spec_of(x).ndim and not isinstance(first, list) and not getattr(first, "ndim", 0)):
        condlist = [condlist]
    conditions = [_as_dtype(as_operand(condition), np.dtype(bool)) for condition in condlist]
    if len(conditions) == count - 1:
        otherwise = conditions[0]
        for condition in conditions[1:]:
            otherwise = ew.logical_or(otherwise, condition)
        return [*conditions, ew.logical_not(otherwise)]
    if len(conditions) != count:
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    return conditions


def _piece(x: Any, y: Any, condition: Any, function: Any, args: Any, kw: Any) -> Any:
    """The result so far, with one function's values where its condition holds."""
    its = spec_of(x)
    mask = known(condition)
    if not isinstance(function, Callable):  # type: ignore[arg-type]
        return ew.where(condition, ew.cast(function, dtype=its.dtype), y)
    if isinstance(mask, Spec) or not its.shape:
        if not isinstance(mask, Spec) and not mask:
            return y
        return ew.where(condition, _as_dtype(function(x, *args, **kw), its.dtype), y)
    places = np.flatnonzero(mask)
    if not places.size:
        return y
    mask = as_index(mask)
    values = function(index(x, mask), *args, **kw)
    module = index_module(places)
    spread = module.zeros(its.size, np.intp)
    spread[places] = module.arange(places.size) if spec_of(values).ndim else 0
    values = _as_dtype(values, its.dtype)
    wide = index(values, spread.reshape(its.shape)) if spec_of(values).ndim else values
    return ew.where(mask, wide, y)
