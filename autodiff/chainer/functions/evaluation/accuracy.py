"""How many classes are right."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply


def accuracy(y: Any, t: Any, ignore_label: int | None = None) -> Variable:
    """The share of examples whose largest score belongs to the true class.

    Args:
        y: scores, ``(n, classes, ...)``, floats.
        t: true classes, ``(n, ...)``, integers.
        ignore_label: the label of examples that do not count.

    Returns:
        a number of y's dtype, without a derivative; 0 if no example counts. Of equal scores the first is the largest.

    Raises:
        InvalidType: if shapes or dtypes are others.

    >>> accuracy(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    variable(0.5)
    """

    def share(y: Any, t: Any) -> Any:
        right = np.argmax(y, axis=1).reshape(t.shape) == t
        if ignore_label is None:
            return np.mean(right, dtype=y.dtype)
        counts = t != ignore_label
        return (np.sum(right & counts) / np.maximum(np.sum(counts), 1)).astype(y.dtype)

    axes, places = getattr(y, "ndim", 0), getattr(t, "ndim", 0) + 1
    return apply(
        "Accuracy",
        share,
        (as_array(y), as_array(t)),
        check=lambda x, t: (
            x.dtype.kind == "f", t.dtype.kind == "i", x.shape[0] == t.shape[0], x.shape[2:places] == t.shape[1:],
            *(x.shape[axis] == 1 for axis in range(places, axes)),
        ),
    )  # fmt: skip


Accuracy = function_class("Accuracy", accuracy, "ignore_label=None")
