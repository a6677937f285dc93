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
    "rectifier": "ReLU",
    "logistic": "Sigmoid",
    "softplus": "Softplus",
    "tanh": "Tanh",
    "arctanh": "Arctanh",
    "gammaln": "lgamma",
    "softmax": "Softmax",
    "log_softmax": "LogSoftmax",
    "logsumexp": "LogSumExp",
    "sum": "Sum",
    "prod": "Prod",
    "cumsum": "Cumsum",
    "cumprod": "Cumprod",
    "clip": "Clip",
    "where": "Where",
    "matmul": "MatMul",
    "reshape": "Reshape",
    "transpose": "Transpose",
    "broadcast_to": "BroadcastTo",
    "concatenate": "Concat",
    "slice_of": "GetItem",
    "gather": "GetItem",
    "diagonal": "Diagonal",
}


def operation_label(name: str, operands: Sequence[Any]) -> str:
    """The label of an operation: its operator with ``_`` for each array, or its name."""
    form = FORMS.get(name)
    if form is None:
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
