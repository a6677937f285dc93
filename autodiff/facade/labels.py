"""How operations are called in drawings of the graph: ``_ + _``, ``_ * 2``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FORMS = {
    "add": "{} + {}",
    "subtract": "{} - {}",
    "multiply": "{} * {}",
    "divide": "{} / {}",
    "floor_divide": "{} // {}",
    "power": "{} ** {}",
    "negative": "__neg__",
    "absolute": "|{}|",
}


def operation_label(name: str, operands: Sequence[Any]) -> str:
    """The label of an operation: its operator with ``_`` for each array, or its name."""
    form = FORMS.get(name)
    return name if form is None else form.format(*map(operand_text, operands))


def operand_text(operand: Any) -> str:
    """An operand in a label."""
    if not isinstance(operand, (int, float, complex)):
        return "_"
    return f"({operand})" if isinstance(operand, complex) or operand < 0 else str(operand)
