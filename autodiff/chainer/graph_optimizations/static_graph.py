"""Marks of graphs that never change. Here they change nothing: the graph is built in each iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def static_graph(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """A decorator for the ``__call__`` of a chain whose graph is the same in each iteration; it changes nothing.

    Args:
        args: the function, where the decorator is used without parentheses.
        kwargs: Chainer's options.

    >>> @static_graph
    ... def twice(x):
    ...     return 2 * x
    >>> twice(3)
    6
    """
    if len(args) == 1 and not kwargs and callable(args[0]):
        return args[0]  # type: ignore[no-any-return]
    return lambda function: function


static_code = static_graph
"""A decorator for a function with side effects inside of a static graph; it changes nothing."""
