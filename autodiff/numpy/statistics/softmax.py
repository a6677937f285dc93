"""Shares of exponentials, and their logarithms: functions that NumPy does not have."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axes
from autodiff.numpy.dispatch import as_operand
from autodiff.ops import elementwise as ew
from autodiff.ops.reductions.softmax import log_softmax as log_softmax_axes
from autodiff.ops.reductions.softmax import softmax as softmax_axes
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def softmax(x: Any, axis: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along axes, all of them by default.

    >>> import numpy as np
    >>> softmax(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """
    x = real_floating("softmax", x)
    return softmax_axes(x, axes=negative_axes(axis, spec_of(x).ndim))


def log_softmax(x: Any, axis: Any = None) -> Any:
    """log(softmax(x)) along axes, all of them by default.

    >>> import numpy as np
    >>> log_softmax(np.array([1000.0, 0.0]))
    array([    0., -1000.])
    """
    x = real_floating("log_softmax", x)
    return log_softmax_axes(x, axes=negative_axes(axis, spec_of(x).ndim))


def real_floating(name: str, x: Any) -> Any:
    """An array of real floating-point numbers; ``name`` is that of the function, for error texts."""
    x = as_operand(x)
    its = spec_of(x)
    if its.dtype.kind == "c":
        raise TypeError(f"{name} of complex numbers is not supported{at_user_line()}; compose it of exp, sum and log")
    return x if its.inexact and its.kind != "python" else ew.cast(x, dtype=np.result_type(its.dtype, np.float64))
