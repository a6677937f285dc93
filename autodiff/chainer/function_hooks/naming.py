"""Names of functions in reports."""

from __future__ import annotations

from typing import Any

from autodiff.facade.functions.function import FunctionAdapter
from autodiff.facade.functions.function_node import FunctionNode


def class_or_label(function: Any) -> str:
    """The name of the class of a user's function; the label of any other."""
    if isinstance(function, FunctionAdapter):
        return type(function.function).__name__
    return type(function).__name__ if isinstance(function, FunctionNode) else str(function.label)
