"""One element of each row."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.picking import all_are_classes, picked
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import concrete


def select_item(x: Any, t: Any) -> Variable:
    """One element of each row: ``x[i, t[i]]``.

    Args:
        x: an array of shape (batch, n).
        t: for each row which element, an array of integers of shape (batch,).

    Raises:
        IndexError: if there is no such element.
        ValueError: in debug mode, if one is counted from the end, or there is no such element.
        InvalidType: if shapes do not fit, or ``t`` holds no integers.

    >>> import numpy as np
    >>> select_item(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1]))
    variable([1., 4.])
    """
    chosen = as_array(t)
    if config.debug and x.ndim == 2:
        check_counted_from_first(chosen, x.shape[1])
    return apply(
        "SelectItem",
        lambda x, t: (
            picked(x, t) if all_are_classes(t, x.shape[1], None) else x[get_array_module(x).arange(x.shape[0]), chosen]
        ),
        (x, t),
        lambda x, t: (t.dtype.kind == "i", x.ndim == 2, t.ndim == 1, x.shape[0] == t.shape[0]),
    )


def check_counted_from_first(places: Any, count: int) -> None:
    """See that numbers are places of a row, where their values are known.

    Raises:
        ValueError: if one is not.
    """
    known = concrete(places)
    if is_array(known) and known.size and not (known.min() >= 0 and known.max() < count):
        raise ValueError(
            f"t must satisfy 0 <= t < {count}, the length of rows of x; it goes from {known.min()} to {known.max()}"
            f"{at_user_line()}"
        )


SelectItem = function_class("SelectItem", select_item)
