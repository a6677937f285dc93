"""Numbers of 16 bits, which kernels of GPUs load and store, and compute as float32.

A tape says where they are converted by operations of its own, which stand in no tape that a user records.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.facts import Element, Facts
from autodiff.trace.link import passing
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec


def is_half(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of a dtype have 16 bits."""
    return dtype.itemsize == 2 and dtype.name in ("float16", "bfloat16")


def as_dtype(one: Spec, dtype: Any) -> Spec:
    """The same in another dtype."""
    return spec(one.shape, dtype, "array" if one.kind == "array" else "scalar")


def conversion(name: str, evaluate: Any, to: Any) -> Primitive:
    """An operation that converts numbers."""
    options: dict[str, Any] = {"facts": Facts(Element("x", "own")), "register": False, "params": None}
    return Primitive(name, "elementwise", ("x",), evaluate, to, {"x": passing}, **options)


widen = conversion("widen", lambda x: x.astype(np.float32), lambda x: as_dtype(x, np.float32))
"""Numbers of 16 bits as float32."""

narrow = conversion("narrow", lambda x, *, dtype: x.astype(dtype), lambda x, *, dtype: as_dtype(x, dtype))
"""Numbers rounded to 16 bits."""

unrounded = conversion("unrounded", lambda x, *, dtype: x, lambda x, *, dtype: x)
"""float32 in the place of numbers of 16 bits: they are rounded where they are stored."""
