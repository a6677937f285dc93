"""Conditions on operands that many functions share, for the ``check`` of ``apply``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.facade.functions.invalid import invalid
from autodiff.facade.functions.type_check import Expr, expect_broadcast_shapes


def floating(x: Any) -> Any:
    """Whether the operand holds floating-point numbers."""
    return x.dtype.kind == "f"


def all_floating(*in_types: Any) -> Any:
    """Whether all operands hold floating-point numbers."""
    return tuple(info.dtype.kind == "f" for info in in_types)


def has_axis(x: Any, axis: int) -> Any:
    """Whether there is such an axis, which may be counted from the end."""
    return x.ndim > (axis if axis >= 0 else -axis - 1)


def has_signed_axis(x: Any, axis: int) -> Any:
    """The same, in the words of those functions that say ``-x.ndim <= axis``."""
    return x.ndim > axis if axis >= 0 else -x.ndim <= axis


def has_axes(x: Any, axes: Sequence[int] | None) -> tuple[Any, ...]:
    """Whether there are all these axes; None stands for all that there are."""
    return () if axes is None else tuple(has_axis(x, axis) for axis in axes)


def broadcastable(*shapes: Any) -> bool:
    """Whether arrays of these shapes can be combined element by element."""
    if any(isinstance(shape, Expr) for shape in shapes):
        expect_broadcast_shapes(*shapes)
        return True
    if all(shape == shapes[0] for shape in shapes):
        return True
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def numbered(operands: Sequence[Any]) -> Sequence[Any]:
    """The operands of ``*xs``, called ``x0``, ``x1``, ... in texts."""
    for position, operand in enumerate(operands):
        if isinstance(operand, Expr):
            operand.name = f"x{position}"  # type: ignore[attr-defined]
    return operands


def demand_some(label: str, operands: Sequence[Any]) -> None:
    """See that there is an operand.

    Raises:
        InvalidType: if there is none.
    """
    if not operands:
        raise invalid(label, "in_types.size > 0", "0 <= 0", "Give it at least one array.")
