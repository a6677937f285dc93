"""Functions whose operations are recorded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from autodiff.transforms.jit.function import jit

Function = Callable[..., Any]


def const_graph(fun: Function, *args: Any, **kwargs: Any) -> Function:
    """The function ``fun(*args, ..., **kwargs)`` of the remaining arguments, whose operations are recorded once.

    >>> const_graph(lambda x, y: x * y, 2.0)(3.0)
    6.0
    """
    return jit(partial(fun, *args, **kwargs))


const_graph_unary = const_graph


def full_graph(fun: Function, *args: Any, **kwargs: Any) -> NoReturn:
    """Not here.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("full_graph is not here; autodiff.make_tape(fun)(*args) records all operations")
