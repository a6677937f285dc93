"""Traced values among the arguments of a call, and calls of NumPy with what buffers have handed over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, contains_traced, missing
from autodiff.trace.primitive import newest_traced
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer

Function = Callable[..., Any]


def is_variable(value: Any) -> bool:
    """Whether it is traced and is not written to itself."""
    return isinstance(value, Traced) and not isinstance(value, Tracer)


def newest_of(values: Any) -> Traced | None:
    """The traced value among arguments that was made last."""
    return newest_traced(tuple(traced_in(values)))


def traced_in(values: Any) -> Iterable[Traced]:
    """The traced values in nested lists, tuples and dictionaries."""
    if isinstance(values, Traced):
        yield values.settled()
    elif isinstance(values, (list, tuple)):
        for part in values:
            yield from traced_in(part)
    elif isinstance(values, dict):
        yield from traced_in(list(values.values()))


def plain_call(function: Function, args: Any, kwargs: dict[str, Any]) -> Any:
    """The same once buffers have handed over what they hold: lists of traced values count as arrays."""
    if not contains_traced((*args, *kwargs.values())):
        return function(*args, **kwargs)
    own = FUNCTIONS.get(function)
    if own is None:
        raise missing(f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1))
    return own(*args, **kwargs)


def method_of_array(name: str, now: Any, args: Any, kwargs: Any) -> Any:
    """A method of an array, where it has none that takes its arguments NumPy's function of the same name."""
    if not hasattr(now, name) or (type(now) is np.ndarray and contains_traced((*args, *kwargs.values()))):
        return getattr(np, name)(now, *args, **kwargs)
    return getattr(now, name)(*args, **kwargs)
