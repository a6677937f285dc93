"""Functions of the old style, and whether a graph is built."""

from autodiff.facade.function import Function, FunctionAdapter
from autodiff.facade.mode import force_backprop_mode, no_backprop_mode
from autodiff.facade.observing import FunctionHook

__all__ = ["Function", "FunctionAdapter", "FunctionHook", "force_backprop_mode", "no_backprop_mode"]
