"""Functions of the old style, and whether a graph is built."""

from autodiff.facade.function import Function, FunctionAdapter
from autodiff.facade.mode import force_backprop_mode, no_backprop_mode

__all__ = ["Function", "FunctionAdapter", "force_backprop_mode", "no_backprop_mode"]
