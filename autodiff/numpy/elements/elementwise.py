"""NumPy's elementwise functions that are no ufuncs, or take more than ufuncs do."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import (
    FUNCTIONS,
    UFUNCS,
    as_operand,
    implements,
    missing,
    register_ufuncs,
    write_outs,
)
from autodiff.ops import elementwise as ew
from autodiff.ops.creation import copy as copy_of
from autodiff.ops.phase import complex_sign
from autodiff.ops.special import sinc as sinc_family
from autodiff.trace.forking import importing
from autodiff.trace.spec import spec_of

register_ufuncs()
UFUNCS[np.radians] = UFUNCS[np.deg2rad]
UFUNCS[np.degrees] = UFUNCS[np.rad2deg]
# what the method of a plain array calls: array.clip(low, high) with traced bounds
UFUNCS[np._core.umath.clip] = ew.clip  # type: ignore[attr-defined]  # NumPy has no other name for the ufunc


def finished(result: Any, out: Any) -> Any:
    """A result, written into ``out=`` where one was given."""
    return result if out is None else write_outs(out if isinstance(out, tuple) else (out,), result)


def is_complex(x: Any) -> bool:
    """Whether the dtype of a value is complex."""
    return spec_of(x).dtype.kind == "c"


@implements(np.where)
def where(condition: Any, *choices: Any) -> Any:
    """Elements of the first choice where the condition holds, of the second elsewhere.

    The choice that is not taken contributes exactly nothing to a derivative, even where its own is infinite.
    """
    if not choices:
        return FUNCTIONS[np.nonzero](condition)
    if len(choices) != 2:
        raise ValueError("either both or neither of x and y should be given")
    return ew.where(as_operand(condition), *map(as_operand, choices))


@implements(np.sign)
def sign(x: Any) -> Any:
    """-1, 0 or 1, with derivative zero; of a complex number x / abs(x), which changes with its angle."""
    return complex_sign(x) if is_complex(x) else ew.sign(x)


@implements(np.clip)
def clip(
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: Any = None,
    *,
    min: Any = np._NoValue,
    max: Any = np._NoValue,
    dtype: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    order: Any = "K",
    subok: bool = True,
    **unsupported: Any,
) -> Any:
    """Values limited to [a_min, a_max]; the derivative is one inside and on the boundary, zero outside."""
    if unsupported:
        raise missing(f"np.clip with {', '.join(unsupported)}=")
    if where is not True:
        raise missing("np.clip with where=")
    low, high = _bounds(a_min, a_max, min, max)
    operands = [part if part is None else as_operand(part) for part in (a, low, high)]
    if dtype is not None:
        operands = [part if part is None else ew.cast(part, dtype=np.dtype(dtype)) for part in operands]
    return finished(_clipped(*operands), out)


def _bounds(a_min: Any, a_max: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The two bounds, given under their old or their new names; None where there is none."""
    absent = np._NoValue
    if a_min is absent and a_max is absent:
        return None if low is absent else low, None if high is absent else high
    for name, given in (("a_min", a_min), ("a_max", a_max)):
        if given is absent:
            raise TypeError(f"clip() missing 1 required positional argument: '{name}'")
    if low is not absent or high is not absent:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    return a_min, a_max


def _clipped(x: Any, low: Any, high: Any) -> Any:
    if low is None and high is None:
        return ew.positive(x)
    if low is not None and high is not None:
        return ew.clip(x, low, high)
    bound, choose, nowhere = (high, ew.minimum, -np.inf) if low is None else (low, ew.maximum, np.inf)
    if not (spec_of(x).inexact or spec_of(bound).inexact):
        return choose(x, bound)
    return ew.clip(x, nowhere, bound) if low is None else ew.clip(x, bound, nowhere)


@implements(np.nan_to_num)
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Finite numbers in place of NaN and the infinities; the derivative of what is replaced is zero."""
    value = as_operand(x)
    if not spec_of(value).inexact:
        return copy_of(value) if copy else value
    if is_complex(value):
        parts = [_finite(part, nan, posinf, neginf) for part in (ew.real(value), ew.imag(value))]
        result = ew.from_parts(*parts)
    else:
        result = _finite(value, nan, posinf, neginf)
    if not spec_of(result).shape:
        return ew.positive(result)  # which turns an array without axes into a number, as NumPy does
    return result if copy else write_outs((x,), result)


def _finite(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    limits = np.finfo(spec_of(x).dtype)
    top = limits.max if posinf is None else posinf
    bottom = limits.min if neginf is None else neginf
    infinities = ew.where(ew.equal(x, np.inf), top, ew.where(ew.equal(x, -np.inf), bottom, x))
    return ew.cast(ew.where(ew.isnan(x), nan, infinities), dtype=spec_of(x).dtype)


@implements(np.sinc)
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x); smooth at zero, with all its derivatives."""
    return sinc_family.sinc(as_operand(x), order=0)


@implements(np.i0)
def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind and order zero."""
    with importing:
        from autodiff.ops.special.bessel import numpy_i0  # noqa: PLC0415 - scipy.special loads only when something needs it

    return numpy_i0(as_operand(x))
