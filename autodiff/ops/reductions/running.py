"""Running maxima and minima along an axis.

Their derivative is a linear recurrence as well: a running maximum stays the same over a run of places, and what is
sent to one of them goes to the elements that have reached it by then, in equal parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast, equal, isnan, logical_and, logical_or, where
from autodiff.ops.masked import Masked, masked
from autodiff.ops.on_chunks.axes import along_axes
from autodiff.ops.on_gpu import reductions
from autodiff.ops.reductions.cumulative import recurrence, shift
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import AXIS
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import native, spec, spec_of


def _runs(x: Any, out: Any, axis: int) -> tuple[Any, Any, Any]:
    """Which elements reach the running extreme, how many have by each place, and which places continue a run."""
    dtype = spec_of(out).dtype
    reached = logical_or(equal(x, out), isnan(x))
    before = shift(out, axis=axis, reverse=False)
    continued = cast(logical_or(equal(out, before), logical_and(isnan(out), isnan(before))), dtype=dtype)
    count = recurrence(cast(reached, dtype=dtype), continued, axis=axis, reverse=False)
    return reached, count, continued


def _rule(g: Any, x: Any, out: Any, axis: int) -> Masked:
    reached, count, continued = _runs(x, out, axis)
    following = shift(continued, axis=axis, reverse=True)
    back = recurrence(g / count, following, axis=axis, reverse=True)
    return masked(where(isnan(x), np.nan, back), reached)


def _forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    reached, count, continued = _runs(values[0], out, params["axis"])
    return recurrence(where(reached, tangents[0], 0), continued, **params, reverse=False) / where(
        isnan(out), np.nan, count
    )


def _running_extreme(name: str, ufunc: np.ufunc) -> Primitive:
    return general(
        name,
        ("x",),
        lambda x, *, axis: ufunc.accumulate(x, axis=axis),
        lambda x, *, axis: spec(x.shape, native(x.dtype)),
        {"x": _rule},
        params={"axis": AXIS},
        forward=_forward,
        on_gpu=reductions.running(ufunc),
        on_chunks=along_axes,
        facts=Facts(each=True, exact=True, new=True),
    )


cummax = _running_extreme("cummax", np.maximum)
"""The largest element so far; equal ones share the derivative."""

cummin = _running_extreme("cummin", np.minimum)
"""The smallest element so far; equal ones share the derivative."""
