"""Numbers of a program that its kernels take as parameters, so that texts do not hold them.

The mean over a batch multiplies by 1/N, and indices from the end have a length added: in the text, another batch size
would be another kernel to compile. Small whole numbers and halves stay there: they say what an operation is, and the
compiler makes something of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.kernels.forms import sub_specs
from autodiff.backends.kernels.scalars import CONVERTING, DTYPES, computing_dtypes, expression, literal
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal

SAID = {0.0, 0.5, 1.0, 2.0, 3.0, 4.0}
"""Sizes of numbers that stay in texts."""

CHOOSING = {"power", "cast", *CONVERTING}
"""Operations whose expression depends on what a number is."""


class Constants:
    """The numbers of a kernel.

    Attributes:
        found: name, dtype and value by the result and the operand that they are.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[int, int], tuple[str, np.dtype[Any], float]] = {}

    def number(self, equation: Equation, place: int, dtype: np.dtype[Any]) -> str:
        """The text of an operand that is a number, in the dtype in which the operation computes."""
        operand = equation.operands[place]
        assert isinstance(operand, Literal)
        value = operand.value
        if not moves(equation, value, dtype):
            return literal(value, dtype)
        key = equation.results[0], place
        if key not in self.found:
            self.found[key] = f"number{len(self.found)}", dtype, dtype.type(value).item()
        return self.found[key][0]

    def expression(self, equation: Equation, texts: Sequence[str], specs: Any) -> str:
        """The expression of an operation.

        Args:
            equation: the operation.
            texts: of its operands; of numbers they are not looked at.
            specs: of values, by their slots.
        """
        operands = list(sub_specs(equation.operands, specs))
        wanted = computing_dtypes(equation.primitive, [spec_of(o) for o in operands], equation.specs[0])
        texts = list(texts)
        for place, (operand, dtype) in enumerate(zip(equation.operands, wanted, strict=True)):
            if isinstance(operand, Literal) and moves(equation, operand.value, dtype):
                texts[place], operands[place] = self.number(equation, place, dtype), Spec((), dtype)
        return expression(equation.primitive, operands, texts, equation.specs[0])


def moves(equation: Equation, value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a number becomes a parameter."""
    if dtype.kind not in "fi" or dtype not in DTYPES or equation.primitive.name in CHOOSING:
        return False
    number = dtype.type(value).item()
    return bool(np.isfinite(number)) and abs(number) not in SAID
