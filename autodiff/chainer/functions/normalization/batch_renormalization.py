"""Batch normalization that is corrected toward the running mean and variance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_device_from_array
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.normalization.batch_normalization import (
    fixed_batch_normalization,
    moments_are_known,
    update,
)
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line
from autodiff.transforms.stop_gradient import stop_gradient


def batch_renormalization(
    x: Any,
    gamma: Any,
    beta: Any,
    rmax: float,
    dmax: float,
    eps: float = 2e-5,
    running_mean: Any = None,
    running_var: Any = None,
    decay: float = 0.9,
    update_statistics: bool = False,
) -> Variable:
    """gamma ((x - mean) / std r + d) + beta, with r = std / running std and d = (mean - running mean) / running std.

    Args:
        x: floats, with the batch as the first axis.
        gamma: scales, of the shape x.shape[1:], or of its first part.
        beta: shifts, of the shape and dtype of gamma.
        rmax: r is clipped to between 1 / rmax and rmax.
        dmax: d is clipped to between -dmax and dmax.
        eps: added to variances.
        running_mean: the mean over all batches; required.
        running_var: the variance over all batches; required.
        decay: how much of the running values remains.
        update_statistics: whether the running values are changed, in place.

    Returns:
        an array like x, of its dtype. r and d are constants to derivatives. Where x is traced by ``grad``, ``vmap``,
        ... the running values stay as they are.

    Raises:
        TypeError: if a running value is missing.
        InvalidType: if shapes or dtypes do not fit.

    S. Ioffe, Batch Renormalization: Towards Reducing Minibatch Dependence in Batch-Normalized Models, 2017.

    >>> zero, one = np.zeros(1), np.ones(1)
    >>> x = np.array([[1.0], [3.0]])
    >>> batch_renormalization(x, one, zero, 1.0, 0.5, 0.0, running_mean=zero, running_var=one)
    variable([[-0.5],
              [ 1.5]])
    """
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        if given is None:
            raise TypeError(f"{name} is required{at_user_line()}")
    axes = (0, *range(gamma.ndim + 1, x.ndim))
    with get_device_from_array(running_mean).create_context():
        old_mean, old_var = (
            np.copy(part.array if isinstance(part, Variable) else part) for part in (running_mean, running_var)
        )
    moments: list[Any] = []

    def normalized(x: Any, gamma: Any, beta: Any) -> Any:
        wide = x.astype(np.promote_types(x.dtype, gamma.dtype))
        mean = wide.mean(axes, keepdims=True)
        centered = wide - mean
        var = np.mean(centered * centered, axes, keepdims=True)
        moments[:] = mean, var
        std, shape, dtype = np.sqrt(var + eps), var.shape, wide.dtype
        running_std = np.sqrt(old_var + eps).astype(dtype).reshape(shape)
        r = np.clip(stop_gradient(std) / running_std, 1 / rmax, rmax)
        d = np.clip((stop_gradient(mean) - old_mean.astype(dtype).reshape(shape)) / running_std, -dmax, dmax)
        y = gamma.astype(dtype).reshape(shape) * (centered / std * r + d) + beta.astype(dtype).reshape(shape)
        return y if y.dtype == x.dtype else y.astype(x.dtype)

    y = apply("BatchRenormalizationFunction", normalized, (x, gamma, beta), check=fits, noted=moments)
    if update_statistics and moments_are_known(y, moments):
        count = x.size // gamma.size
        update(running_mean, moments[0], decay)
        update(running_var, moments[1], decay, count / max(count - 1, 1))
    return y


def fits(*in_types: Any) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    x, gamma, beta = in_types
    ndim = gamma.ndim if isinstance(gamma.ndim, int) else gamma.ndim.eval()
    return (
        x.dtype.kind == "f",
        gamma.dtype.kind == "f",
        gamma.dtype == beta.dtype,
        x.shape[1 : 1 + ndim] == gamma.shape,
        gamma.shape == beta.shape,
    )


def fixed_batch_renormalization(x: Any, gamma: Any, beta: Any, mean: Any, var: Any, eps: float = 2e-5) -> Variable:
    """Deprecated: it is :func:`fixed_batch_normalization`."""
    warnings.warn(
        "fixed_batch_renormalization is deprecated. Use fixed_batch_normalization instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return fixed_batch_normalization(x, gamma, beta, mean, var, eps)


BatchRenormalizationFunction = function_class(
    "BatchRenormalizationFunction",
    lambda x, gamma, beta, rmax, dmax, eps, running_mean, running_var, decay, update_statistics: batch_renormalization(
        x, gamma, beta, rmax, dmax, eps, running_mean, running_var, decay, update_statistics
    ),
    "eps=2e-05, mean=None, var=None, decay=0.9, rmax=1, dmax=0, update_statistics=True",
    called=True,
    renamed={"mean": "running_mean", "var": "running_var"},
)
