"""The errors of tracing: each says what arrived, what is needed and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.error_classes import (
    AliasingError,
    AutodiffError,
    ConcretizationError,
    DifferentiationError,
    LeafError,
    LeakedTracerError,
    OperandError,
    RuleError,
)
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

__all__ = [
    "AliasingError",
    "AutodiffError",
    "ConcretizationError",
    "DifferentiationError",
    "LeafError",
    "LeakedTracerError",
    "OperandError",
    "RuleError",
    "described",
    "explained",
    "run_user_code",
]


def run_user_code(fun: Callable[..., Any], args: Iterable[Any]) -> Any:
    """Call the user's function.

    Where NumPy or SciPy replaced the error of a traced value that would have become a number by its own ("setting an
    array element with a sequence"), the original is raised, which says what to do.
    """
    try:
        return fun(*args)
    except (ValueError, SystemError) as error:
        cause = error.__cause__
        if isinstance(cause, ConcretizationError):
            raise cause.with_traceback(error.__traceback__) from None
        raise


def explained(error: Exception, name: str, operands: Sequence[Any]) -> Exception:
    """An error of the same type that says which operation failed, on what, and where in the user's code."""
    from autodiff.trace.values.arrays import misplaced  # noqa: PLC0415 - that module imports this one

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


def described(value: Any) -> str:
    """``float32[2,3]`` of arrays and numbers, the type's name of anything else."""
    if type(value) is np.ndarray and value.dtype.hasobject:
        return f"{value.dtype.name}[{','.join(map(str, value.shape))}]"
    try:
        return repr(spec_of(value))
    except LeafError:
        return type(value).__name__
