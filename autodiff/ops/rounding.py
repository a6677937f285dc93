"""Rounding, and what is left over by it: between the jumps all of these are straight lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import ldexp
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import integer
from autodiff.trace.primitive import Primitive, elementwise, general
from autodiff.trace.spec import Spec, result_spec


def _rounded_dtype(x: Spec, *, decimals: int) -> np.dtype[Any]:
    return np.round(np.zeros(1, x.dtype), decimals).dtype


round_decimals: Primitive = elementwise(
    "round",
    lambda x, *, decimals: np.round(x, decimals),
    dtype=_rounded_dtype,
    params={"decimals": integer(-1000, 1000)},
    dx=None,
)
"""Rounded to so many decimals, halves to the even neighbour; the derivative is zero, at the jumps too."""


def _modf_spec(x: Spec) -> tuple[Spec, Spec]:
    part = result_spec(x.shape, np.modf(np.zeros(0, x.dtype))[0].dtype)
    return part, part


modf: Primitive = general(
    "modf", ("x",), np.modf, _modf_spec, {"x": lambda g: g[0]},
    forward=lambda tangents, values, out, params: (tangents[0], tangents[0] * 0),
    facts=Facts(exact=True),
)  # fmt: skip
"""Fractional part, of slope one, and integral part, of slope zero."""


def _frexp_spec(x: Spec) -> tuple[Spec, Spec]:
    mantissa, exponent = np.frexp(np.zeros(0, x.dtype))
    return result_spec(x.shape, mantissa.dtype), result_spec(x.shape, exponent.dtype)


frexp: Primitive = general(
    "frexp", ("x",), np.frexp, _frexp_spec, {"x": lambda g, out: ldexp(g[0], -out[1])},
    forward=lambda tangents, values, out, params: (ldexp(tangents[0], -out[1]), None),
    facts=Facts(exact=True),
)  # fmt: skip
"""Mantissa and exponent of two: x = mantissa * 2**exponent."""
