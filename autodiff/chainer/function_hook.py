"""Watching operations."""

from autodiff.facade.observing import FunctionHook, get_function_hooks

__all__ = ["FunctionHook", "get_function_hooks"]
