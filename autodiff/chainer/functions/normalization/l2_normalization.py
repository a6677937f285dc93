"""Vectors divided by their lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.reductions.reduce import root


def normalize(x: Any, eps: float = 1e-5, axis: Any = 1) -> Variable:
    """``x / (|x| + eps)``, with the Euclidean norm along axes.

    Args:
        x: floats.
        eps: added to the norm.
        axis: an axis, or several ones.

    Returns:
        an array like x. At a zero vector the derivative of the norm is 0, that of the quotient 1 / eps.

    Raises:
        InvalidType: if x are no floats.

    >>> normalize(np.array([[3.0, 4.0]]), eps=0.0)
    variable([[0.6, 0.8]])
    """
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else axis
    return apply(
        "NormalizeL2",
        lambda x: x / (root(np.sum(np.square(x), axes, keepdims=True)) + eps),
        (x,),
        check=lambda *in_types: in_types[0].dtype.kind == "f",
    )


NormalizeL2 = function_class(
    "NormalizeL2",
    normalize,
    "eps=1e-05, axis=1",
    computed={"axis": lambda self: self.axes if isinstance(self.axes, tuple) else (self.axes,)},
)
