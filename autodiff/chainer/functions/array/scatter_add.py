"""Additions at places of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import cast
from autodiff.ops.index import scatter_add as scattered
from autodiff.trace.source import at_user_line


def scatter_add(a: Any, slices: Any, b: Any) -> Variable:
    """A copy of ``a`` to which ``b`` is added at the places ``a[slices]``, as often as each is picked.

    Args:
        a: any array.
        slices: what :func:`get_item` takes.
        b: numbers of the shape of ``a[slices]``.

    Raises:
        ValueError: if ``b`` has another shape.
        InvalidType: if ``a`` has no axis.

    >>> scatter_add(np.zeros(3), [0, 0, 2], np.array([1.0, 2.0, 3.0]))
    variable([3., 0., 3.])
    """
    xp = get_array_module(a)
    if not len(a.shape):
        places = xp.zeros(0, int)
    else:
        places = xp.arange(a.size).reshape(a.shape)[slices]
        if np.shape(places) != tuple(b.shape):
            raise ValueError(
                f"the places have shape {np.shape(places)} and what is added has shape {b.shape}{at_user_line()}; "
                "scatter_add does not broadcast: use F.broadcast_to"
            )

    def fun(a: Any, b: Any) -> Any:
        added = scattered(np.reshape(cast(b, dtype=a.dtype), -1), np.reshape(places, -1), length=a.size, rest=0, rank=1)
        return a + np.reshape(added, a.shape)

    return apply("ScatterAdd", fun, (a, b), lambda a, b: a.ndim >= 1)


ScatterAdd = function_class("ScatterAdd", lambda a, b, slices: scatter_add(a, slices, b), "slices")
