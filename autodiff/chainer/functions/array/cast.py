"""The same numbers in another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops import elementwise
from autodiff.transforms.stop_gradient import stop_gradient


def cast(x: Any, typ: Any) -> Variable:
    """The same numbers in another dtype; the gradient comes back in the dtype of ``x``, to integers not at all.

    Args:
        x: any array.
        typ: the dtype.

    >>> cast(np.array([1.5]), np.float32).dtype
    dtype('float32')
    """
    dtype = np.dtype(typ)
    return apply("Cast", lambda x: elementwise.cast(with_derivative(x), dtype=dtype), (x,))


def with_derivative(x: Any) -> Any:
    """The numbers; whole ones, through whose cast no gradient flows, as a constant."""
    return x if x.dtype.kind in "fc" else stop_gradient(x)


Cast = function_class("Cast", cast, "typ", computed={"type": lambda self: self.dtype, "typ": lambda self: self.dtype})
