"""The errors of tracing: each says what arrived, what is needed and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


class AutodiffError(Exception):
    """Base class of the errors that only autodiff raises."""


class ConcretizationError(AutodiffError, RuntimeError):
    """A traced value would have become a plain number or array, and its derivative would have been lost."""


class LeakedTracerError(AutodiffError, RuntimeError):
    """A traced value was used after the transformation that made it had ended."""


class DifferentiationError(AutodiffError, TypeError):
    """What was asked to be differentiated has no derivative of that kind."""


class OperandError(AutodiffError, ValueError):
    """The operands of an operation do not fit together."""


class AliasingError(AutodiffError, RuntimeError):
    """Whether two traced arrays share memory is not known, and one of them was written to."""


class RuleError(AutodiffError, RuntimeError):
    """A derivative rule returned something that does not fit its operand: a bug in the rule."""


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
    from autodiff.trace.arrays import misplaced  # noqa: PLC0415 - that module imports this one

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
    try:
        return repr(spec_of(value))
    except AttributeError:
        return type(value).__name__
