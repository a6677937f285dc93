"""The matrix product with weights, plus a bias."""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply, refuse_input
from autodiff.ops.matrices.products import linear_map
from autodiff.trace.source import at_user_line


def linear(x: Any, W: Any, b: Any = None, n_batch_axes: int = 1) -> Variable:
    """x W^T + b, with all axes behind the batch axes as one.

    Args:
        x: (s_1, ..., s_n, features), floats; the features may have several axes.
        W: weights (outputs, features).
        b: bias (outputs,), of the dtype of x.
        n_batch_axes: how many axes of x are batch axes, at least 1.

    Returns:
        (s_1, ..., s_n, outputs), of the dtype of x.

    Raises:
        ValueError: if ``n_batch_axes`` is less than 1.
        InvalidType: if shapes or dtypes do not fit.

    >>> import numpy as np
    >>> linear(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 3.0]]), np.array([0.5, 0.0]))
    variable([[3.5, 6. ]])
    """
    if n_batch_axes <= 0:
        raise ValueError(f"n_batch_axes must be at least 1, got {n_batch_axes}{at_user_line()}")
    if isinstance(x, (list, tuple, int, float)):
        refuse_input("LinearFunction", (x, W))
    lead = x.shape[:n_batch_axes]
    if n_batch_axes > 1 or x.ndim > 2:
        x = x.reshape((prod(lead), prod(x.shape[n_batch_axes:])))

    def product(x: Any, W: Any, *b: Any) -> Any:
        y = linear_map(x, W)
        y = y if y.dtype == x.dtype else y.astype(x.dtype)
        return y + b[0] if b else y

    y = apply("LinearFunction", product, (x, W) if b is None else (x, W, b), check=fits)
    return y.reshape((*lead, y.shape[1])) if n_batch_axes > 1 else y


def fits(x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    conditions = (x.dtype.kind == "f", W.dtype.kind == "f", x.ndim == 2, W.ndim == 2, x.shape[1] == W.shape[1])
    return conditions if b is None else (*conditions, b.dtype == x.dtype, b.ndim == 1, b.shape[0] == W.shape[0])


LinearFunction = function_class("LinearFunction", linear)
