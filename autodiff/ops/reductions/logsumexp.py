"""The logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast, equal, exp, isinf, where
from autodiff.ops.on_chunks.axes import along_axes
from autodiff.ops.on_gpu import reductions
from autodiff.ops.reductions.reduce import along
from autodiff.ops.selection import select
from autodiff.ops.shape import Axes, sum_axes, without
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import AXES, check_array, require
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, native, result_spec, spec_of


def _shares(x: Any, out: Any, axes: Axes) -> Any:
    """What each element contributes: exp(x - out), divided by its own sum, since ``out`` is rounded.

    Where the sum is infinite the infinite elements share it; where it is 0 nothing contributes.
    """
    shape = spec_of(x).shape
    whole = along(out, shape, axes)
    if isinstance(whole, np.ndarray) and np.isfinite(whole).all():
        each = exp(x - whole)
        return each / along(sum_axes(each, axes=axes), shape, axes)
    infinite = equal(whole, np.inf)
    finite = exp(where(infinite, 0, x) - where(isinf(whole), 0, whole))
    each = where(infinite, cast(equal(x, whole), dtype=spec_of(x).dtype), finite)
    total = sum_axes(each, axes=axes)
    return each / along(where(equal(total, 0), 1, total), shape, axes)


def _spec(x: Spec, *, axes: Axes) -> Spec:
    return result_spec(without(x.shape, axes), native(x.dtype))


def check_real(x: Spec, *, axes: Axes) -> None:
    """Refuse an operand that is not made of real floating-point numbers."""
    check_array(x)
    require(x.inexact and x.dtype.kind != "c", f"it takes floating-point numbers, and not {x.dtype}")


def _rule(g: Any, x: Any, out: Any, axes: Axes) -> Any:
    return along(g, spec_of(x).shape, axes) * _shares(x, out, axes)


def _forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    axes = params["axes"]
    return sum_axes(tangents[0] * _shares(values[0], out, axes), axes=axes)


logaddexp_axes: Primitive = general(
    "logaddexp_axes",
    ("x",),
    lambda x, *, axes: np.logaddexp.reduce(x, axis=axes),
    _spec,
    {"x": _rule},
    params={"axes": AXES},
    check=check_real,
    forward=_forward,
    on_gpu=reductions.logsumexp,
    on_chunks=along_axes,
    facts=Facts(new=True),
)
"""log(sum(exp(x))) along axes, without overflow. Of nothing but -inf the derivative is 0."""


def _evaluate(x: Any, *, axes: Axes) -> Any:
    """The largest elements apart from the rest, which keeps every digit where the result is near zero."""
    top = x.max(axis=axes, keepdims=True, initial=-np.inf)
    largest = x == top
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = select(largest, 0, np.exp(x - top)).sum(axis=axes)
        count = largest.sum(axis=axes, dtype=x.dtype)
        top = top.reshape(rest.shape)
        total = np.log1p(rest / count) + np.log(count) + top
    return np.where(np.isinf(top), top, total)[()]


logsumexp: Primitive = general(
    "logsumexp", ("x",), _evaluate, _spec, {"x": _rule}, params={"axes": AXES}, check=check_real,
    forward=_forward, on_gpu=reductions.logsumexp,
    on_chunks=along_axes,
    facts=Facts(new=True, label="LogSumExp"),
)  # fmt: skip
"""The same in one pass, as scipy.special computes it."""
