"""NumPy's names, for plain and traced values alike.

Code that says ``import numpy as np`` needs nothing of this: NumPy asks traced arguments what to do. A few functions
of NumPy's never ask some of their arguments (``np.take`` its indices, ``np.asarray`` and ``np.array`` theirs); those
called from here do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS, as_operand, contains_traced
from autodiff.trace.foreign import holds_traced
from autodiff.trace.traced import Traced

OWN: dict[str, Callable[..., Any]] = {}
"""Names that are made here and stay."""


def lookup(name: str) -> Any:
    """What ``autodiff.numpy.<name>`` is.

    Raises:
        AttributeError: if NumPy has no such name, or its function has no derivative here.
    """
    found = OWN.get(name)
    if found is None:
        found = OWN[name] = adapted(name, getattr(np, name))
    return found


def adapted(name: str, original: Any) -> Any:
    """A function that takes traced values anywhere among its arguments; types and constants as they are."""
    own = UFUNCS.get(original) if isinstance(original, np.ufunc) else None
    if isinstance(original, type) or not callable(original):
        return original
    own = own or FUNCTIONS.get(original)
    if own is None:
        raise AttributeError(f"np.{name} has no derivative rule here; call it on plain values as np.{name}")

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if contains_traced((*args, *kwargs.values())):
            return own(*args, **kwargs)
        return original(*args, **kwargs)

    return function


def array(object: Any, dtype: Any = None) -> Any:
    """An array of numbers, arrays, nested lists of them, or an array of dtype object; traced values stay traced.

    >>> from autodiff import grad
    >>> grad(lambda x: array([x, 2.0, x * x])[2])(3.0)
    6.0
    """
    if holds_traced(object):
        object = object.tolist()
    if not isinstance(object, Traced) and not contains_traced((object,)):
        return np.array(object, dtype)
    stacked = FUNCTIONS[np.copy](as_operand(object))
    return stacked if dtype is None or stacked.dtype == np.dtype(dtype) else stacked.astype(dtype)


OWN["array"] = OWN["asarray"] = array
