"""What a function that is transformed returned: only arrays and numbers that are known can be told from constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.errors import DifferentiationError, LeafError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.values.foreign import TRACED_OBJECTS, holds_traced, objects_refusal, remedy
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.arguments import function_name


def result_leaf(name: str, fun: Callable[..., Any], leaf: Any) -> Any:
    """A leaf of a function's result; an array of Python objects becomes one of their numbers.

    Raises:
        DifferentiationError: if it is no array or number of a kind that is known.
    """
    try:
        return as_leaf(leaf)
    except LeafError:
        then = remedy(leaf)
        raise DifferentiationError(
            f"{name} needs a function that returns arrays and numbers, but {function_name(fun)} returned "
            f"{described(leaf)}{at_user_line()}; {then + '; ' if then else ''}with has_aux=True a second result is "
            "passed on"
        ) from None


def aux_leaf(leaf: Any) -> Any:
    """A leaf of what is only passed on: anything that does not hide a traced value.

    Raises:
        LeafError: if it is an array of Python objects that holds one.
    """
    if holds_traced(leaf):
        raise LeafError(objects_refusal("traced values", TRACED_OBJECTS))
    return leaf
