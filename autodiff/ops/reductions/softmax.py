"""Shares that sum to one, and their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import exp
from autodiff.ops.on_chunks.axes import along_axes
from autodiff.ops.on_gpu import reductions
from autodiff.ops.reductions.logsumexp import check_real
from autodiff.ops.reductions.reduce import along
from autodiff.ops.relative import Multiple
from autodiff.ops.shape import Axes, sum_axes
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import AXES
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, native, spec, spec_of


def _spread_sum(x: Any, axes: Axes) -> Any:
    return along(sum_axes(x, axes=axes), spec_of(x).shape, axes)


def _spec(x: Spec, *, axes: Axes) -> Spec:
    return x if x.dtype.isnative else spec(x.shape, native(x.dtype), x.kind)


def _evaluate_softmax(x: Any, *, axes: Axes) -> Any:
    shares = np.exp(x - x.max(axes, keepdims=True))
    shares /= shares.sum(axes, keepdims=True)
    return shares


def _softmax_rule(g: Any, out: Any, axes: Axes) -> Any:
    return out * (g - _spread_sum(g * out, axes))


softmax: Primitive = general(
    "softmax", ("x",), _evaluate_softmax, _spec, {"x": _softmax_rule},
    params={"axes": AXES}, check=check_real,
    forward=lambda tangents, values, out, params: _softmax_rule(tangents[0], out, params["axes"]),
    relative=Multiple(
        lambda g, out, axes: g - out * _spread_sum(g, axes), lambda t, out, axes, **_: t - _spread_sum(t * out, axes)
    ),
    on_chunks=along_axes,
    facts=Facts(nonnegative=True, new=True, label="Softmax"),
)  # fmt: skip
"""exp(x) / sum(exp(x)) along axes; it keeps its result alone."""


def _evaluate_log_softmax(x: Any, *, axes: Axes) -> Any:
    top = x.max(axes, keepdims=True)
    if not np.isfinite(top).all():  # beside an infinity finite numbers have no share, however large
        most = np.finfo(top.dtype).max
        top = np.clip(top, -most, most)
    with np.errstate(divide="ignore", over="ignore"):
        below = x - top
        return below - np.log(np.exp(below).sum(axes, keepdims=True))


def _log_softmax_forward(tangent: Any, out: Any, axes: Axes) -> Any:
    return tangent - _spread_sum(tangent * exp(out), axes)


log_softmax: Primitive = general(
    "log_softmax", ("x",), _evaluate_log_softmax, _spec,
    {"x": lambda g, out, axes: g - exp(out) * _spread_sum(g, axes)},
    params={"axes": AXES}, check=check_real,
    forward=lambda tangents, values, out, params: _log_softmax_forward(tangents[0], out, params["axes"]),
    on_gpu=reductions.log_softmax,
    on_chunks=along_axes,
    facts=Facts(new=True, label="LogSoftmax"),
)  # fmt: skip
"""log(softmax(x)), without the logarithm of a zero."""
