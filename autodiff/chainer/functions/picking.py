"""One element of each row, by its position."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.facade.compiled.recorder import assumed
from autodiff.ops.index import gather
from autodiff.ops.shape import reshape
from autodiff.trace.tracer import Tracer


def all_are_classes(t: Any, classes: int, ignore_label: int | None) -> bool:
    """Whether it is known that all labels are classes, and none is the one to be ignored."""
    ignored = ignore_label is not None and 0 <= ignore_label < classes
    if isinstance(t, Tracer) and t.dtype.kind in "iu" and not ignored and 0 not in t.shape:
        return assumed(lambda: are_classes(t, classes))
    if type(t) is not np.ndarray or not t.size or t.dtype.kind not in "iu":
        return False
    return not ignored and bool(t.view(f"u{t.dtype.itemsize}").max() < classes)


def are_classes(labels: Any, classes: int) -> Any:
    """Whether all labels are classes, traced as they are."""
    return np.all((labels >= 0) & (labels < classes))


def picked(x: Any, labels: Any) -> Any:
    """One element of each column along the second axis of x: ``x[n, labels[n, ...], ...]``.

    >>> picked(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0]))
    array([2., 3.])
    """
    count, classes, inner = x.shape[0], x.shape[1], prod(x.shape[2:])
    arange = get_array_module(x).arange
    places = arange(0, count * classes, classes)
    if inner == 1:
        places = labels.reshape(count) + places
    else:
        places = (labels.reshape(count, inner) + places[:, None]) * inner + arange(inner)
    chosen = gather(reshape(x, shape=(count * classes * inner,)), places, rest=0, chosen=False)
    shape = (count, *x.shape[2:])
    return chosen if chosen.shape == shape else reshape(chosen, shape=shape)
