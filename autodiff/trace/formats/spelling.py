"""How operations are written in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.formats.written import lengths_source, slice_source, value_source
from autodiff.trace.spec import Spec

Params = dict[str, Any]
MODULES = (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft))


def numpy_name(evaluate: Callable[..., Any]) -> str | None:
    """The public name of one of NumPy's functions; None for other functions."""
    name = getattr(evaluate, "__name__", "")
    return next((f"{prefix}.{name}" for prefix, module in MODULES if getattr(module, name, None) is evaluate), None)


def _reshape(operands: Sequence[str], specs: Sequence[Spec], params: Params) -> str:
    return f"np.reshape({operands[0]}, {lengths_source(params['shape'])})"


def _broadcast_to(operands: Sequence[str], specs: Sequence[Spec], params: Params) -> str:
    return f"np.broadcast_to({operands[0]}, {lengths_source(params['shape'])})"


def _transpose(operands: Sequence[str], specs: Sequence[Spec], params: Params) -> str:
    ndim, axes = specs[0].ndim, params["axes"]
    return f"np.transpose({operands[0]}, {(*range(ndim - len(axes)), *(axis + ndim for axis in axes))})"


def _sum(operands: Sequence[str], specs: Sequence[Spec], params: Params) -> str:
    return f"np.add.reduce({operands[0]}, axis={lengths_source(params['axes'])})"


def _cast(operands: Sequence[str], specs: Sequence[Spec], params: Params) -> str:
    dtype = value_source(np.dtype(params["dtype"]))
    return f"{dtype}.type({operands[0]})" if specs[0].kind == "python" else f"{operands[0]}.astype({dtype})"


def _slice_of(operands: Sequence[str], specs: Sequence[Spec], params: Params) -> str:
    key = params["key"]
    untouched = specs[0].ndim - sum(isinstance(part, (int, tuple)) for part in key)
    parts = [":"] * untouched + [slice_source(part) for part in key]
    return f"{operands[0]}[{', '.join(parts) or '()'}]"


SPELLED: dict[str, Callable[[Sequence[str], Sequence[Spec], Params], str]] = {
    "broadcast_to": _broadcast_to,
    "cast": _cast,
    "reshape": _reshape,
    "slice_of": _slice_of,
    "sum": _sum,
    "transpose": _transpose,
}
"""The operations whose parameters are not those of NumPy's function."""
