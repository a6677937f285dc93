"""The link that adds a learned array."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.math.bias import bias
from autodiff.chainer.link import Link
from autodiff.facade import Parameter, Variable
from autodiff.trace.source import at_user_line


class Bias(Link):
    """x + b, where b stands beside the axes of x from the given one on.

    Args:
        axis: the first of these axes.
        shape: the shape of b, which is zeros at first. Without one the link is called with x and b.

    >>> import numpy as np
    >>> Bias(axis=1)(np.zeros((2, 2)), np.array([1.0, 2.0]))
    variable([[1., 2.],
              [1., 2.]])
    """

    def __init__(self, axis: int = 1, shape: Any = None) -> None:
        super().__init__()
        self.axis = axis
        if shape is not None:
            with self.init_scope():
                self.b = Parameter(0, shape)

    def forward(self, *xs: Any) -> Variable:
        """The sum; of one argument if the link has b, otherwise of two.

        Raises:
            ValueError: if there are more or fewer.
        """
        x, b = operands(xs, getattr(self, "b", None), "b")
        return bias(x, b, self.axis)


def operands(xs: tuple[Any, ...], own: Any, name: str) -> tuple[Any, Any]:
    """The two operands of a link that may have one of its own."""
    needed = 1 if own is not None else 2
    if len(xs) != needed:
        state = f"has a learned {name}" if own is not None else f"has no learned {name}"
        raise ValueError(f"the link {state}, so it takes {needed} argument(s), got {len(xs)}{at_user_line()}")
    return (xs[0], own) if own is not None else (xs[0], xs[1])
