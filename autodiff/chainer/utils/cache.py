"""Quantities that are computed when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line


class cached_property:
    """A property that is computed once for each object.

    What is computed under ``no_backprop_mode`` has no graph, so it is kept apart from what is computed otherwise.

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

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self._compute = func
        self.__name__, self.__doc__ = func.__name__, func.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        kept = instance.__dict__.setdefault("_cached", {})
        key = self.__name__, bool(config.enable_backprop)
        if key not in kept:
            kept[key] = self._compute(instance)
        return kept[key]

    def __set__(self, instance: Any, value: Any) -> NoReturn:
        raise AttributeError(
            f"{self.__name__} of {type(instance).__name__} is computed{at_user_line()} and cannot be assigned"
        )
