"""Groups of features with their mean taken away, and turned and scaled so that they are uncorrelated."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.normalization.batch_normalization import moments_are_known, update
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def decorrelated_batch_normalization(x: Any, **kwargs: Any) -> Variable:
    """C^(-1/2) (x - mean), with mean and covariance C of each group of features over the batch.

    Args:
        x: (N, F, ...), float32 or float64; further axes count as more examples.
        kwargs: ``groups`` = 16, the number of groups of features; ``eps`` = 2e-5, added to the diagonal of C;
            ``running_mean`` (groups, F / groups) and ``running_projection`` (groups, F / groups, F / groups), arrays in
            which the mean and C^(-1/2) n / (n - 1) over all batches of n examples are kept, in place; ``decay`` = 0.9,
            how much of these remains.

    Returns:
        an array like x. Where x is traced by ``grad``, ``vmap``, ... the running values stay as they are.

    Raises:
        InvalidType: if x are no floats, or its features cannot be divided into groups.

    L. Huang, D. Yang, B. Lang and J. Deng, Decorrelated Batch Normalization, 2018.

    >>> x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    >>> y = decorrelated_batch_normalization(x, groups=1, eps=0.0).array
    >>> (y.T @ y / 4).round(6)
    array([[1., 0.],
           [0., 1.]])
    """
    groups, eps, running_mean, running_projection, decay = parse_kwargs(
        kwargs, ("groups", 16), ("eps", 2e-5), ("running_mean", None), ("running_projection", None), ("decay", 0.9)
    )
    moments: list[Any] = []

    def normalized(x: Any) -> Any:
        rows = grouped(x, groups)
        mean = rows.mean(2, keepdims=True)
        centered = rows - mean
        count = rows.shape[2]
        covariance = np.matmul(centered, centered.transpose(0, 2, 1)) / count + eps * get_array_module(x).eye(
            rows.shape[1], dtype=x.dtype
        )
        values, vectors = np.linalg.eigh(covariance)
        projection = np.matmul(vectors * values[:, np.newaxis] ** -0.5, vectors.transpose(0, 2, 1))
        moments[:] = mean, projection
        return ungrouped(np.matmul(projection, centered), x.shape)

    check = lambda *types: fits(groups, *types)  # noqa: E731 - it has the names of the operands
    y = apply("DecorrelatedBatchNormalization", normalized, (x,), check=check, noted=moments)
    if moments_are_known(y, moments):
        count = x.size // x.shape[1]
        update(running_mean, moments[0], decay)
        update(running_projection, moments[1], decay, count / max(count - 1, 1))
    return y


def fixed_decorrelated_batch_normalization(x: Any, mean: Any, projection: Any, groups: int = 16) -> Variable:
    """projection (x - mean), for each group of features.

    Args:
        x: (N, F, ...), floats.
        mean: (groups, F / groups), of the dtype of x.
        projection: (groups, F / groups, F / groups), likewise.
        groups: the number of groups of features.

    Returns:
        an array like x.

    Raises:
        InvalidType: if shapes or dtypes do not fit.

    >>> fixed_decorrelated_batch_normalization(np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 2, 2)), groups=1)
    variable([[0., 0.]])
    """

    def normalized(x: Any, mean: Any, projection: Any) -> Any:
        rows = grouped(x, groups)
        return ungrouped(np.matmul(projection, rows - mean[:, :, np.newaxis]), x.shape)

    inputs = (x, mean, projection)
    check = lambda *in_types: fits(groups, *in_types)  # noqa: E731 - it has the names of the operands
    return apply("FixedDecorrelatedBatchNormalization", normalized, inputs, check=check)


def grouped(x: Any, groups: int) -> Any:
    """(N, F, ...) as (groups, F / groups, examples)."""
    return np.moveaxis(x, 1, 0).reshape((groups, x.shape[1] // groups, -1))


def ungrouped(rows: Any, shape: tuple[int, ...]) -> Any:
    """(groups, F / groups, examples) as it was."""
    return np.moveaxis(rows.reshape((shape[1], shape[0], *shape[2:])), 0, 1)


def fits(groups: int, *in_types: Any) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    x, *statistics = in_types
    conditions = x.dtype.kind == "f", x.ndim >= 2, x.shape[1] % groups == 0
    if not statistics:
        return conditions
    mean, projection = statistics
    features = x.shape[1] // groups
    return (
        *conditions,
        mean.dtype == x.dtype,
        projection.dtype == x.dtype,
        mean.shape == (groups, features if isinstance(features, int) else features.eval()),
        projection.shape == (groups, *(features if isinstance(features, int) else features.eval(),) * 2),
    )


DecorrelatedBatchNormalization = function_class(
    "DecorrelatedBatchNormalization",
    decorrelated_batch_normalization,
    "groups=16, eps=2e-05, mean=None, projection=None, decay=0.9",
    renamed={"mean": "running_mean", "projection": "running_projection"},
)
FixedDecorrelatedBatchNormalization = function_class(
    "FixedDecorrelatedBatchNormalization", fixed_decorrelated_batch_normalization, "groups"
)
