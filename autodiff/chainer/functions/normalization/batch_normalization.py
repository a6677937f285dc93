"""Each feature with its mean over the batch taken away, divided by its standard deviation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_device_from_array
from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.functions.sums import means_along
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete

Axes = tuple[int, ...]

TRAIN = "train= is gone; use chainer.using_config('train', value)"


def batch_normalization(x: Any, gamma: Any, beta: Any, **kwargs: Any) -> Variable:
    """gamma (x - mean) / sqrt(var + eps) + beta, with mean and variance over the batch.

    Args:
        x: floats, with the batch as the first axis.
        gamma: scales, of the shape of x without the axes over which is averaged.
        beta: shifts, of the shape and dtype of gamma.
        kwargs: ``eps`` = 2e-5, added to the variance; ``running_mean`` and ``running_var``, arrays in which the mean
            and the unbiased variance over all batches are kept, in place; ``decay`` = 0.9, how much of these remains;
            ``axis``, over which axes to average: by default the first one, and all behind those that gamma has.

    Returns:
        an array like x, of its dtype. Where x is traced by ``grad``, ``vmap``, ... the call is a pure function: the
        running values stay as they are.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        RuntimeError: if ``axis`` is not in ascending order.

    S. Ioffe and C. Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
    Shift, 2015.

    >>> batch_normalization(np.array([[1.0], [3.0]]), np.array([2.0]), np.array([0.5]), eps=0.0)
    variable([[-1.5],
              [ 2.5]])
    """
    eps, running_mean, running_var, decay, axis = parse_kwargs(
        kwargs,
        ("eps", 2e-5),
        ("running_mean", None),
        ("running_var", None),
        ("decay", 0.9),
        ("axis", None),
        train=TRAIN,
    )
    axes = averaged_axes(axis, x.ndim, gamma.ndim)
    warn_of_one_sample(x, axes)
    moments: list[Any] = []

    def normalized(x: Any, gamma: Any, beta: Any) -> Any:
        wide = as_dtype(x, np.promote_types(x.dtype, gamma.dtype))
        mean = means_along(wide, axes)
        centered = wide - mean
        var = means_along(np.square(centered), axes)
        moments[:] = mean, var
        return scaled(centered, var, gamma, beta, eps, x.dtype)

    y = apply("BatchNormalization", normalized, (x, gamma, beta), check=conditions(axes), noted=moments)
    if x.size and moments_are_known(y, moments):  # a batch without samples has no mean that could be followed
        count = x.size // gamma.size
        update(running_mean, moments[0], decay)
        update(running_var, moments[1], decay, count / max(count - 1, 1))
    return y


def scaled(centered: Any, var: Any, gamma: Any, beta: Any, eps: float, dtype: Any) -> Any:
    """gamma centered / sqrt(var + eps) + beta, in a dtype."""
    shape, wide = var.shape, var.dtype
    gamma, beta = (part if part.shape == shape else reshape(part, shape=shape) for part in (gamma, beta))
    scale = as_dtype(gamma, wide) / np.sqrt(var + eps)
    return as_dtype(centered * scale + as_dtype(beta, wide), dtype)


def as_dtype(x: Any, dtype: Any) -> Any:
    """The array in a dtype; itself where it has that."""
    return x if x.dtype == dtype else x.astype(dtype)


def averaged_axes(axis: Any, ndim: int, gamma_ndim: int) -> Axes:
    """The axes over which is averaged.

    Raises:
        RuntimeError: if the given ones are not in ascending order.
    """
    if axis is None:
        return (0, *range(gamma_ndim + 1, ndim))
    axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    if any(a >= b for a, b in pairwise(axes)):
        raise RuntimeError(f"axis must be in ascending order, got {axes}{at_user_line()}")
    return axes


def kept_axes(axes: Axes, ndim: int) -> Axes:
    """The axes over which is not averaged."""
    return tuple(k for k in range(ndim) if k not in axes)


def conditions(axes: Axes) -> Callable[..., tuple[Any, ...]]:
    """The conditions on shapes and dtypes."""

    def fits(*in_types: Any) -> tuple[Any, ...]:
        x, gamma, beta, *statistics = in_types
        ndim = x.ndim if isinstance(x.ndim, int) else x.ndim.eval()
        kept = kept_axes(axes, ndim)
        return (
            x.dtype.kind == "f",
            gamma.dtype.kind == "f",
            gamma.dtype == beta.dtype,
            gamma.shape == beta.shape,
            gamma.ndim == len(kept),
            *(x.shape[k] == gamma.shape[position] for position, k in enumerate(kept)),
            *(part.dtype == gamma.dtype for part in statistics),
            *(part.shape == gamma.shape for part in statistics),
        )

    return fits


def warn_of_one_sample(x: Any, axes: Axes) -> None:
    """Say that a mean over one sample is that sample."""
    if all(x.shape[k] == 1 for k in axes if k < x.ndim):
        warnings.warn(
            f"F.batch_normalization averages over axes {axes} of an array of shape {x.shape}: one sample, whose mean "
            "is itself, so that the output is beta. To evaluate, set chainer.config.train to False; to train, let no "
            "batch be that small",
            UserWarning,
            stacklevel=3,
        )


def moments_are_known(y: Any, moments: list[Any]) -> bool:
    """Whether running values can be updated: not where the call is part of a transformation.

    Moments that were traced become arrays.
    """
    moments[:] = map(concrete, moments)
    traced = not isinstance(y, Variable) or isinstance(y.array, Traced)
    return not traced and all(hasattr(moment, "__array__") for moment in moments)


def update(running: Any, value: Any, decay: float, factor: float = 1.0) -> None:
    """Let a running value, if there is one, follow ``factor`` times a new one, in place.

    Raises:
        ValueError: if it has another size.
    """
    if running is None:
        return
    array = running.array if isinstance(running, Variable) else running
    if array.size != value.size:
        raise ValueError(
            f"a running value of shape {array.shape} cannot follow {value.size} values{at_user_line()}; it must have "
            "the shape of gamma"
        )
    with get_device_from_array(array).create_context():
        array *= decay
        array += ((1 - decay) * (value * factor)).reshape(array.shape).astype(array.dtype)


def fixed_batch_normalization(
    x: Any, gamma: Any, beta: Any, mean: Any, var: Any, eps: float = 2e-5, axis: Any = None
) -> Variable:
    """gamma (x - mean) / sqrt(var + eps) + beta, with given mean and variance.

    Args:
        x: floats.
        gamma: scales, of the shape of x without the axes over which was averaged.
        beta: shifts, of the shape and dtype of gamma, as are mean and var.
        mean: usually a running mean.
        var: usually a running variance.
        eps: added to the variance.
        axis: over which axes was averaged; by default the first one, and all behind those that gamma has.

    Returns:
        an array like x, of its dtype.

    Raises:
        InvalidType: if shapes or dtypes do not fit.

    >>> one = np.ones(1)
    >>> fixed_batch_normalization(np.array([[1.0], [3.0]]), 2 * one, one, 3 * one, 4 * one, eps=0.0)
    variable([[-1.],
              [ 1.]])
    """
    axes = averaged_axes(axis, x.ndim, gamma.ndim)

    def normalized(x: Any, gamma: Any, beta: Any, mean: Any, var: Any) -> Any:
        wide = np.promote_types(x.dtype, gamma.dtype)
        shape = tuple(1 if k in axes else length for k, length in enumerate(x.shape))
        centered = as_dtype(x, wide) - reshape(as_dtype(mean, wide), shape=shape)
        return scaled(centered, reshape(as_dtype(var, wide), shape=shape), gamma, beta, eps, x.dtype)

    inputs = (x, gamma, beta, mean, var)
    return apply("FixedBatchNormalization", normalized, inputs, check=conditions(axes))


def ndim_of(self: Any) -> int:
    """How many axes the input has."""
    return len(inputs_of(self)[0].shape)


def moment(place: int) -> Callable[[Any], Any]:
    """What computes the mean or the variance, in the shape of gamma."""
    return lambda self: concrete(self.moments[place]).reshape(inputs_of(self)[1].shape)


def reciprocal(variance: Any, eps: float) -> Any:
    """1 / sqrt(var + eps)."""
    return 1 / np.sqrt(variance + eps)


PLACES = {
    "axis": lambda self: self.axes,
    "key_axis": lambda self: kept_axes(self.axes, ndim_of(self)),
    "expander": lambda self: tuple(None if k in self.axes else slice(None) for k in range(ndim_of(self))),
}
"""Which axes are averaged over, and how an array of gamma's shape is put beside x."""

BatchNormalization = function_class(
    "BatchNormalization",
    lambda x, gamma, beta, impl_selector=None, **given: batch_normalization(x, gamma, beta, **given),
    "eps=2e-05, mean=None, var=None, decay=0.9, axis=None, impl_selector=None",
    renamed={"mean": "running_mean", "var": "running_var"},
    computed={
        **PLACES,
        "mean": moment(0),
        "var": moment(1),
        "inv_std": lambda self: reciprocal(self.var, self.eps),
        "forward_data": always(None),
    },
)
BatchNormalizationFunction = function_class(
    "BatchNormalizationFunction",
    batch_normalization,
    "eps=2e-05, mean=None, var=None, decay=0.9",
    label="BatchNormalization",
    called=True,
    renamed={"mean": "running_mean", "var": "running_var"},
    computed={
        **BatchNormalization.computed,
        "running_mean": lambda self: self.given["running_mean"],
        "running_var": lambda self: self.given["running_var"],
    },
    base=BatchNormalization,
)
"""What Chainer 2 and 3 had, whose objects are called: links of programs read its running values afterwards."""

FixedBatchNormalization = function_class(
    "FixedBatchNormalization",
    fixed_batch_normalization,
    "eps=2e-05, axis=None",
    computed={
        **PLACES,
        "inv_std": lambda self: reciprocal(inputs_of(self)[4].data, self.eps),
        "inv_var": lambda self: self.inv_std**2,
    },
)
