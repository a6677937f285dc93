"""Functions with a gradient of their own, and gradients as values."""

from autodiff.facade.function_node import FunctionNode
from autodiff.facade.joint import grad

__all__ = ["Fallback", "FunctionNode", "grad"]


class _FallbackType:
    """What ``forward_chainerx`` returns to say that it leaves the work to ``forward``."""

    def __repr__(self) -> str:
        return "Fallback"


Fallback = _FallbackType()
