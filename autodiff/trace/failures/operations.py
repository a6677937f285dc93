"""Errors of operations, with what they were given and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.trace.errors import AutodiffError, OperandError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.values.arrays import misplaced


def explained(error: Exception, name: str, operands: Sequence[Any]) -> Exception:
    """An error of the same type that says which operation failed, on what, and where in the user's code."""
    if isinstance(error, AutodiffError):
        return error
    problem = misplaced(operands)
    if problem is not None:
        return TypeError(f"{name}: {problem}")
    kind = OperandError if type(error) is ValueError else type(error)
    got = ", ".join(map(described, operands))
    try:
        return kind(f"{name}({got}){at_user_line()}: {error}")
    except Exception:  # an error class whose constructor wants something else: pass on the original
        return error
