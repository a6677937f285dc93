"""Watching operations."""

from autodiff.facade.graph.observing import FunctionHook, get_function_hooks

__all__ = ["FunctionHook", "get_function_hooks"]
