"""Functions that choose by the class of their argument, with :mod:`functools`: a traced value counts as an array."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from autodiff.numpy.namespace import KNOWN, StandIn, enter
from autodiff.programs.calls import kind_of
from autodiff.programs.counterparts import is_a
from autodiff.trace.traced import Traced


def is_dispatcher(value: Any) -> bool:
    """Whether a function was made by ``functools.singledispatch``."""
    return type(value) is FunctionType and hasattr(value, "registry") and hasattr(value, "dispatch")


def dispatcher_of(value: Any) -> Any:
    """What chooses for a function or method; None for others."""
    if is_a(value, functools.singledispatchmethod):
        return value.dispatcher
    return value if is_dispatcher(value) else None


def choices_of(value: Any) -> Iterator[Any]:
    """The functions between which a function or method chooses."""
    dispatcher = dispatcher_of(value)
    return (one for kind, one in dispatcher.registry.items() if kind is not Traced) if dispatcher else iter(())


def teach(value: Any) -> Any:
    """Let a function or method that chooses take a traced value for what it stands for; others as they are."""
    dispatcher = dispatcher_of(value)
    if dispatcher is None or Traced in dispatcher.registry:
        return value

    def chosen(x: Any, *args: Any, **kwargs: Any) -> Any:
        return dispatcher.dispatch(kind_of(x))(x, *args, **kwargs)

    def chosen_method(self: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return dispatcher.dispatch(kind_of(x)).__get__(self, type(self))(x, *args, **kwargs)

    dispatcher.register(Traced, chosen if dispatcher is value else chosen_method)
    return value


def of_functools(value: Any) -> Any:
    """What stands for something of functools."""
    return KNOWN.get(id(value), (value, value))[1]


def taught(original: Callable[..., Any]) -> None:
    """Enter a decorator whose results are taught."""
    enter(original, lambda function: teach(original(function)))


for _decorator in (functools.singledispatch, functools.singledispatchmethod):
    taught(_decorator)
enter(functools, StandIn(functools, of_functools))
