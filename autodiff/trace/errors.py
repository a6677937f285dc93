"""The errors of tracing: each says what arrived, what is needed and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff.trace.failures.classes import (
    AliasingError,
    AutodiffError,
    ConcretizationError,
    DifferentiationError,
    LeafError,
    LeakedTracerError,
    OperandError,
    RuleError,
)
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


def described(value: Any) -> str:
    """``float32[2,3]`` of arrays and numbers, the type's name of anything else."""
    if type(value) is np.ndarray and value.dtype.hasobject:
        return f"{value.dtype.name}[{','.join(map(str, value.shape))}]"
    try:
        return repr(spec_of(value))
    except LeafError:
        return type(value).__name__
