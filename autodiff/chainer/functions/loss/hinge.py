"""The hinge loss of one class against all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.labels import check_labels
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


def hinge(x: Any, t: Any, norm: str = "L1", reduce: str = "mean") -> Variable:
    """max(0, 1 - s x) for every class, where s is 1 for the true class and -1 for all others.

    Args:
        x: scores, ``(n, classes)``, floats.
        t: the true classes, ``(n,)``, integers.
        norm: ``"L1"``, or ``"L2"`` for the square of each element.
        reduce: ``"mean"`` for the sum over the classes averaged over the examples; ``"no"`` for all elements.

    Returns:
        a number, or an array of x's shape. On the margin the derivative is 0.

    Raises:
        InvalidType: if shapes or dtypes are others.
        IndexError: if a label is no class.
        ValueError: for another ``reduce``.
        NotImplementedError: for another ``norm``.

    >>> hinge(np.array([[0.5, -2.0]]), np.array([0]), reduce="no")
    variable([[0.5, 0. ]])
    """
    if norm not in ("L1", "L2"):
        raise NotImplementedError(f"hinge(norm={norm!r}){at_user_line()}: norm must be 'L1' or 'L2'")
    check_reduce(reduce, "mean", "no")
    xp = get_array_module(x)

    def loss(x: Any, t: Any) -> Any:
        check_labels(t, x.shape[1], None)
        margin = 1 + np.where(xp.arange(x.shape[1]) == t[:, None], -x, x)
        each = np.where(margin > 0, margin, 0)
        each = each if norm == "L1" else np.square(each)
        return each if reduce == "no" else np.sum(each) / len(t)

    return apply(
        "Hinge",
        loss,
        (x, t),
        check=lambda x, t: (
            x.dtype.kind == "f", t.dtype.kind == "i", x.ndim == 2, t.ndim == 1, x.shape[0] == t.shape[0],
        ),
    )  # fmt: skip


Hinge = function_class("Hinge", hinge, "norm='L1', reduce='mean'", called=True)
