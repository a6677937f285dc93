"""Covariance and correlation matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.moments import average
from autodiff.ops.elementwise import cast, conjugate, from_parts, imag, real
from autodiff.ops.matrices.products import matmul
from autodiff.ops.shape import reshape, transpose
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete


def variables(name: str, m: Any, dtype: Any, rowvar: bool) -> Any:
    """Observations as a matrix, one row for each variable."""
    own = spec_of(m)
    if len(own.shape) > 2:
        raise ValueError(f"{name} needs at most two axes, got {own!r}{at_user_line()}")
    m = cast(m, dtype=dtype)
    if len(own.shape) < 2:
        return reshape(m, shape=(1, own.size))
    return m if rowvar else transpose(m, axes=(-1, -2))


def sample_weights(fweights: Any, aweights: Any, count: int) -> Any:
    """The product of frequencies and weights; None where neither is given."""
    parts = [as_operand(weights) for weights in (fweights, aweights) if weights is not None]
    for weights in parts:
        if spec_of(weights).shape != (count,):
            raise ValueError(f"cov of {count} observations got weights {spec_of(weights)!r}{at_user_line()}")
        plain = concrete(weights)
        if type(plain) is not Spec and np.any(plain < 0):
            raise ValueError(f"cov got negative weights{at_user_line()}")
    parts = [cast(weights, dtype=np.dtype(float)) for weights in parts]
    return None if not parts else parts[0] if len(parts) == 1 else parts[0] * parts[1]


def normalisation(weights: Any, total: Any, count: int, ddof: int, aweights: Any) -> Any:
    """What the sums of products are divided by."""
    if weights is None:
        return max(count - ddof, 0)
    if ddof == 0:
        return total
    if aweights is None:
        return total - ddof
    return total - ddof * np.sum(weights * as_operand(aweights)) / total


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """The covariances of the rows; differentiable by the observations and by the weights."""
    m = as_operand(m)
    others = [] if y is None else [as_operand(y)]
    dtype = np.dtype(dtype or np.result_type(*(spec_of(part).dtype for part in (m, *others)), np.float64))
    rows = variables("cov", m, dtype, rowvar)
    if not spec_of(rows).shape[0]:  # NumPy does not look at ``y`` then
        return np.zeros((0, 0))
    if others:
        beside = rowvar or spec_of(others[0]).shape[:1] == (1,)  # NumPy leaves a row as it is
        rows = np.concatenate([rows, variables("cov", others[0], dtype, beside)], axis=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = sample_weights(fweights, aweights, spec_of(rows).shape[1])
    centre, total = average(rows, axis=1, weights=weights, returned=True)
    factor = normalisation(weights, total[0], spec_of(rows).shape[1], ddof, aweights)
    distance = rows - reshape(centre, shape=(spec_of(centre).size, 1))
    weighted = distance if weights is None else distance * weights
    products = matmul(distance, conjugate(transpose(weighted, axes=(-1, -2))))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.squeeze(products * cast(np.true_divide(1, factor), dtype=real(dtype.type(0)).dtype))


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """The covariances of the rows divided by their standard deviations, clipped to [-1, 1]."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not spec_of(c).shape:
        return c / c
    deviation = np.sqrt(real(np.diagonal(c)))
    c = c / deviation[:, None] / deviation[None, :]
    if spec_of(c).dtype.kind == "c":
        return from_parts(np.clip(real(c), -1, 1), np.clip(imag(c), -1, 1))
    return np.clip(c, -1, 1)
