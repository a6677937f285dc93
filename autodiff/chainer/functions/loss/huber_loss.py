"""A squared error for small differences, an absolute one for large differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.shape import sum_axes


def huber_loss(x: Any, t: Any, delta: float, reduce: str = "sum_along_second_axis") -> Variable:
    """d**2 / 2 where ``d = |x - t|`` is at most delta, and delta (d - delta/2) elsewhere.

    Args:
        x: predictions, floats with at least two axes.
        t: targets of the same shape and dtype.
        delta: where the quadratic part ends; the slope of the linear part.
        reduce: ``"sum_along_second_axis"``, or ``"no"`` for a loss for each element.

    Returns:
        the losses, without the second axis unless ``reduce`` is ``"no"``. The derivative is continuous.

    Raises:
        InvalidType: if x and t differ in shape or dtype, or are no floats.
        ValueError: for another ``reduce``.

    >>> huber_loss(np.array([[0.5, 3.0]]), np.zeros((1, 2)), 1.0, reduce="no")
    variable([[0.125, 2.5  ]])
    """
    check_reduce(reduce, "sum_along_second_axis", "no")

    def loss(x: Any, t: Any) -> Any:
        d = x - t
        near = np.clip(d, -delta, delta)
        each = near * (d - 0.5 * near)
        return each if reduce == "no" else sum_axes(each, axes=(1 - len(x.shape),))

    return apply(
        "HuberLoss", loss, (x, t), check=lambda x, t: (x.dtype.kind == "f", x.dtype == t.dtype, x.shape == t.shape)
    )


HuberLoss = function_class("HuberLoss", huber_loss, "delta, reduce='sum_along_second_axis'")
