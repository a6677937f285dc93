"""What programs ask of traced values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.trees.tree import flatten


class BoxType(type):
    """The type of :class:`Box`: traced values are its instances, whatever made them."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Traced)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Traced) or super().__subclasscheck__(subclass)


class Box(metaclass=BoxType):
    """The class of traced values: ``isinstance(x, Box)``."""

    def __init__(self, *_: Any) -> None:
        raise NotImplementedError("traced values are made by transformations; a Box is for isinstance alone")

    @classmethod
    def register(cls, value_type: type) -> NoReturn:
        """Not here: values of a user's class are taken apart as trees, so that their parts are traced.

        Raises:
            NotImplementedError: always, with what to use.
        """
        raise NotImplementedError(
            f"Box.register({value_type.__name__}) is not here; make the values of the class trees of arrays by "
            "autodiff.register_tree, with which it needs neither a Box nor a VSpace"
        )


def isbox(x: Any) -> bool:
    """Whether a value is traced."""
    return isinstance(x, Traced)


def getval(x: Any) -> Any:
    """The plain value, without derivatives; also of what stands in lists, tuples and dictionaries."""
    leaves, structure = flatten(x)
    return structure.unflatten(concrete(leaf) if isinstance(leaf, Traced) else leaf for leaf in leaves)


def notrace_primitive(f_raw: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called with plain values: its result has no derivative.

    >>> import numpy as np
    >>> from autodiff.compat.autograd import grad
    >>> grad(lambda x: x * notrace_primitive(float)(x))(3.0)
    3.0
    """

    @functools.wraps(f_raw)
    def f_wrapped(*args: Any, **kwargs: Any) -> Any:
        return f_raw(*map(getval, args), **kwargs)

    return f_wrapped


def register_notrace(trace_type: Any, primitive_fun: Any) -> NoReturn:
    """Not here: which functions have a derivative does not depend on the kind of recording.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("register_notrace is not here; make the function with notrace_primitive")


__all__ = ["Box", "Tracer", "getval", "isbox", "notrace_primitive", "register_notrace"]
