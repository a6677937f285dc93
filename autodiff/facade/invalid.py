"""The error of operands that do not fit, in the words that Chainer's users know."""

from __future__ import annotations

from typing import Any

from autodiff.trace.errors import AutodiffError
from autodiff.trace.source import at_user_line


class InvalidType(AutodiffError):
    """Operands whose types or shapes an operation does not take.

    Args:
        operation: the label of the operation.
        expect: the condition that does not hold, as text.
        actual: what holds instead.
        remedy: what to do about it.
    """

    def __init__(self, operation: str, expect: Any, actual: Any, remedy: str = "") -> None:
        text = f"\nInvalid operation is performed in: {operation} (Forward){at_user_line()}\n\n"
        text += f"Expect: {expect}\nActual: {actual}"
        super().__init__(f"{text}\n\n{remedy}" if remedy else text)
        self.expect = expect
        self.actual = actual
