"""The remainder with the sign of the dividend."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import broadcastable
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def fmod(x: Any, divisor: Any) -> Variable:
    """x - fix(x / divisor) divisor, element by element.

    Args:
        x: floating-point numbers.
        divisor: numbers of the same dtype, of a shape that broadcasts with that of ``x``.

    Returns:
        remainders with the sign of ``x``. The derivatives are 1 and -fix(x / divisor), at the jumps too.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> fmod(np.array([5.0, -5.0]), np.array([3.0, 3.0]))
    variable([ 2., -2.])
    """
    return apply(
        "fmod",
        np.fmod,
        (x, divisor),
        lambda x, divisor: (
            x.dtype == divisor.dtype,
            x.dtype.kind == "f",
            divisor.dtype.kind == "f",
            broadcastable(x.shape, divisor.shape),
        ),
    )


Fmod = function_class("Fmod", fmod, label="fmod")
