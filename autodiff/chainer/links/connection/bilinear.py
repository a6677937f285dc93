"""The link of the bilinear map."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.bilinear import bilinear
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import bias, weight
from autodiff.chainer.registering import warn
from autodiff.facade import Variable
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line


class Bilinear(Link):
    """y[n, l] = sum of e1[n, j] e2[n, k] W[j, k, l] over j and k, plus e1 V1 + e2 V2 + b.

    Args:
        left_size: how many features e1 has.
        right_size: how many features e2 has.
        out_size: how many outputs there are.
        nobias: whether V1, V2 and b are left out.
        initialW: an initializer, a number or an array (left_size, right_size, out_size); LeCunNormal if None.
        initial_bias: a tuple of the same for V1 (left_size, out_size), V2 (right_size, out_size) and b (out_size,);
            LeCunNormal, LeCunNormal and zeros if None.

    Raises:
        ValueError: if ``initial_bias`` is neither None nor a tuple of three.

    >>> import numpy as np
    >>> Bilinear(1, 1, 1, nobias=True, initialW=5.0)(np.full((1, 1), 2.0, "f"), np.full((1, 1), 3.0, "f"))
    variable([[30.]])
    """

    def __init__(
        self,
        left_size: int,
        right_size: int,
        out_size: int,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.in_sizes, self.nobias = (left_size, right_size), nobias
        shape = (left_size, right_size, out_size)
        check_shape("initialW", initialW, shape)
        with self.init_scope():
            self.W = weight(initialW, shape)
            if not nobias:
                for_V1, for_V2, for_b = triple(initial_bias)
                check_shape("V1", for_V1, (left_size, out_size))
                check_shape("V2", for_V2, (right_size, out_size))
                check_shape("b", for_b, (out_size,))
                self.V1 = weight(for_V1, (left_size, out_size))
                self.V2 = weight(for_V2, (right_size, out_size))
                self.b = bias(for_b, out_size)

    def forward(self, e1: Any, e2: Any) -> Variable:
        """The outputs (N, out_size).

        Args:
            e1: (N, left_size).
            e2: (N, right_size).
        """
        if self.nobias:
            return bilinear(e1, e2, self.W)
        return bilinear(e1, e2, self.W, self.V1, self.V2, self.b)

    def zero_grads(self) -> None:
        """Make all gradients zeros. Deprecated: use :meth:`cleargrads`."""
        warn("zero_grads() is deprecated; use cleargrads()")
        for param in self.params():
            if param.grad is not None:
                param.grad[...] = 0


def triple(initial_bias: Any) -> tuple[Any, Any, Any]:
    """What fills V1, V2 and b."""
    if initial_bias is None:
        return None, None, None
    if not isinstance(initial_bias, tuple) or len(initial_bias) != 3:
        raise ValueError(f"initial_bias must be None or a tuple for (V1, V2, b), got {initial_bias!r}{at_user_line()}")
    return initial_bias


def check_shape(name: str, initial: Any, shape: tuple[int, ...]) -> None:
    """See that an array that fills a parameter has its shape.

    Raises:
        AssertionError: if it has not.
    """
    if is_array(initial) and initial.shape != shape:
        raise AssertionError(f"{name} must have the shape {shape}, got {initial.shape}{at_user_line()}")
