"""The functions that transformations return: called as the original is, and pickled as a transformation of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, reduce, update_wrapper
from types import MethodType
from typing import Any


class Decorated:
    """Stands for the function where a transformation is given its options alone: ``@grad(argnums=1)``."""

    def __repr__(self) -> str:
        return "<the function below>"


DECORATED: Any = Decorated()


class TransformedFunction:
    """A function that a transformation has made.

    It has the name, the documentation and the signature of the original, is bound to instances as functions are, and
    can be sent to other processes wherever the original can.

    Args:
        fun: the original.
        call: what a call runs.
        make: the transformation.
        given: its arguments, with which it makes the same function again.
        named: its keyword arguments.

    >>> import pickle
    >>> import numpy as np
    >>> from autodiff import grad
    >>> pickle.loads(pickle.dumps(grad(np.sum)))(np.ones(2))
    array([1., 1.])
    """

    def __init__(
        self, fun: Callable[..., Any], call: Callable[..., Any], make: Callable[..., Any], *given: Any, **named: Any
    ) -> None:
        update_wrapper(self, fun)
        self.call = call
        self.made = (partial(make, **named) if named else make, given)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        make, given = self.made
        name = getattr(given[0], "__qualname__", None) or repr(given[0])
        return f"<{getattr(make, 'func', make).__name__} of {name}>"

    def __copy__(self) -> TransformedFunction:
        return self  # as functions are copied

    def __deepcopy__(self, _: Any) -> TransformedFunction:
        return self

    def __reduce__(self) -> Any:
        return global_name(self) or self.made


def global_name(function: Any) -> str | None:
    """The name under which a function is found in its module, as a decorated one is; None where it is not there."""
    name = getattr(function, "__qualname__", "")
    try:
        found: Any = reduce(getattr, name.split("."), sys.modules[function.__module__])
    except (AttributeError, KeyError):
        return None
    return name if found is function else None
