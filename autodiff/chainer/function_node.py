"""Functions with a gradient of their own, and gradients as values."""

from typing import Any

from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.graph.multi_output import grad

__all__ = ["Fallback", "FunctionNode", "grad", "static_forward_optimizations"]


class _FallbackType:
    """What ``forward_chainerx`` returns to say that it leaves the work to ``forward``."""

    def __repr__(self) -> str:
        return "Fallback"


Fallback = _FallbackType()


def static_forward_optimizations(func: FunctionNode, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of a function: there are no static graphs here that could do it faster."""
    return func.forward(inputs)
