"""Quantities that are computed when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.facade.settings.configuration import config


def cached_property(func: Callable[[Any], Any]) -> property:
    """A property that is computed once for each object.

    Under ``no_backprop_mode`` it is computed anew and not kept: what is kept has a graph.

    Args:
        func: the method that computes it.

    >>> class Square:
    ...     @cached_property
    ...     def area(self):
    ...         print("computed")
    ...         return 4.0
    >>> square = Square()
    >>> square.area + square.area
    computed
    8.0
    """
    name = func.__name__

    def get(self: Any) -> Any:
        if not config.enable_backprop:
            return func(self)
        kept = self.__dict__.setdefault("_cached", {})
        if name not in kept:
            kept[name] = func(self)
        return kept[name]

    return property(get, doc=func.__doc__)
