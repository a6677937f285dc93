"""The laws of derivatives, checked of a random program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.testing.checks import examine
from autodiff.testing.draws.examples import tells
from autodiff.testing.draws.operand import Operands
from autodiff.testing.mismatch import GradientMismatch, Subject

ORDER = 2


def broken_law(
    fun: Callable[..., Any], args: Sequence[Any], laws: Sequence[str]
) -> tuple[str, str, BaseException | None]:
    """How some laws end for a function at arguments.

    Returns:
        (word, detail, error): "agrees" or "undecided", without detail; or the law that is broken, how, and what was
        raised, if something was.
    """
    if not tells(fun, Operands(tuple(args), smooth=True)):
        return "undecided", "", None
    try:
        found = examine(Subject(fun, args, "f"), laws, order=ORDER, batch=False, smooth=True)
    except GradientMismatch as mismatch:
        return f"law {mismatch.law}", mismatch.detail, mismatch.__cause__
    except ValueError as error:  # the program changes its arguments
        return "input", str(error), error
    decided = [law for law, reason in found.outcomes.items() if reason is None]
    return ("agrees" if decided or not found.outcomes else "undecided"), "", None
