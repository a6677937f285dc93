"""How operations are called in drawings of the graph: ``_ + _``, ``_ * 2``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.trace.primitive import Primitive


def operation_label(primitive: Primitive, operands: Sequence[Any]) -> str:
    """The label of an operation: its operator with ``_`` for each array, or its name."""
    name, form = primitive.name, primitive.facts.label
    if not form:
        return name
    texts = [operand_text(operand) for operand in operands]
    if name in ("add", "multiply") and texts[0] != "_":
        texts.reverse()  # Chainer has one function for both orders
    return form.format(*texts)


def operand_text(operand: Any) -> str:
    """An operand in a label."""
    if not isinstance(operand, (int, float, complex)):
        return "_"
    return f"({operand})" if isinstance(operand, complex) or operand < 0 else str(operand)
