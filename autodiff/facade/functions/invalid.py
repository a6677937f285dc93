"""The error of operands that do not fit, in the words that Chainer's users know."""

from __future__ import annotations

from typing import Any

from autodiff.trace.errors import AutodiffError
from autodiff.trace.source import at_user_line


class InvalidType(AutodiffError):
    """Operands whose types or shapes an operation does not take.

    Args:
        expect: the condition that does not hold, as text.
        actual: what holds instead.
        msg: the whole text; by default it is made of the two.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> Variable(np.ones(2)) + np.ones(3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    autodiff.facade.functions.invalid.InvalidType: ...
    """

    def __init__(self, expect: Any, actual: Any, msg: str | None = None) -> None:
        super().__init__(f"Expect: {expect}\nActual: {actual}" if msg is None else msg)
        self.expect = expect
        self.actual = actual

    def __reduce__(self) -> tuple[Any, ...]:
        return InvalidType, (self.expect, self.actual, str(self))

    def performed_in(self, operation: str, remedy: str = "") -> InvalidType:
        """The same error, with the label of the operation, the user's line, and what to do about it."""
        text = f"\nInvalid operation is performed in: {operation} (Forward){at_user_line()}\n\n{self}"
        return InvalidType(self.expect, self.actual, f"{text}\n\n{remedy}" if remedy else text)


def invalid(operation: str, expect: Any, actual: Any, remedy: str = "") -> InvalidType:
    """The error of an operation."""
    return InvalidType(expect, actual).performed_in(operation, remedy)
