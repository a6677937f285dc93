"""An array cut along an axis."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from autodiff.backends import gpu
from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.functions.type_check import Expr
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.numpy.arrays.splitting import cut_at
from autodiff.trace.source import at_user_line


def split_axis(x: Any, indices_or_sections: Any, axis: int, force_tuple: bool = True) -> Any:
    """The parts of an array that is cut along an axis.

    Args:
        x: any array.
        indices_or_sections: in how many equal parts, or where each part but the first begins.
        axis: the axis.
        force_tuple: whether a single part comes as a tuple too.

    Returns:
        a tuple of Variables.

    Raises:
        TypeError: if ``indices_or_sections`` is something else.
        ValueError: if there is no part; in debug mode, if the places are not in order.
        InvalidType: if there is no such axis, or it cannot be cut so.

    >>> split_axis(np.array([[1.0, 2.0, 3.0]]), [1], axis=1)
    (variable([[1.]]), variable([[2., 3.]]))
    """
    count, places = cuts(indices_or_sections)

    def fun(x: Any) -> tuple[Any, ...]:
        length = x.shape[axis]
        begins = [length // count * part for part in range(1, count)] if count else places
        return tuple(cut_at(x, begins, axis if axis < 0 else axis - len(x.shape)))

    parts = apply("SplitAxis", fun, (x,), lambda *in_types: can_be_cut(in_types[0], axis, count, places))
    return parts if force_tuple or len(parts) > 1 else parts[0]


def cuts(indices_or_sections: Any) -> tuple[int, tuple[int, ...]]:
    """The number of equal parts, or 0 and where parts begin."""
    if isinstance(indices_or_sections, Integral):
        if indices_or_sections < 1:
            raise ValueError(f"there must be at least one part, got {indices_or_sections}{at_user_line()}")
        return int(indices_or_sections), ()
    if gpu.is_gpu_array(indices_or_sections):
        indices_or_sections = gpu.to_host(indices_or_sections)  # the shapes of the parts depend on them
    if isinstance(indices_or_sections, (list, tuple, np.ndarray)) and np.ndim(indices_or_sections) == 1:
        places = tuple(map(int, indices_or_sections))
        if config.debug and any(first > second for first, second in pairwise(places)):
            raise ValueError(f"indices_or_sections must be sorted, got {places}{at_user_line()}")
        return 0, places
    raise TypeError(
        f"indices_or_sections must be integer or 1-D array.\nActual: {type(indices_or_sections)}{at_user_line()}"
    )


def can_be_cut(x: Any, axis: int, sections: int, indices: tuple[int, ...]) -> tuple[Any, ...]:
    """Whether there is such an axis, and it is long enough."""
    name, value = ("sections", sections) if sections else ("max_index", max(indices, default=0))
    bound = Expr(name, lambda: value) if isinstance(x, Expr) else value
    length = x.shape[axis]
    return has_axis(x, axis), length % bound == 0 if sections else length >= bound


SplitAxis = function_class(
    "SplitAxis",
    split_axis,
    "indices_or_sections, axis",
    computed={
        "sections": lambda self: self.count or None,
        "indices": lambda self: None if self.count else self.places,
    },
)
