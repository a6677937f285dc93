"""Functions with a gradient of their own, and gradients as values."""

from autodiff.facade.function_node import FunctionNode
from autodiff.facade.joint import grad

__all__ = ["FunctionNode", "grad"]
