"""Functions of the old style, and whether a graph is built."""

from autodiff.facade.functions.function import Function, FunctionAdapter
from autodiff.facade.graph.observing import FunctionHook
from autodiff.facade.settings.mode import force_backprop_mode, no_backprop_mode

__all__ = ["Function", "FunctionAdapter", "FunctionHook", "force_backprop_mode", "no_backprop_mode"]
