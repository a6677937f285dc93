"""Matrices with given singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.utils.argument import parse_kwargs


def generate_matrix(shape: tuple[int, ...], dtype: Any = float, **kwargs: Any) -> Any:
    """Random matrices with given singular values.

    Args:
        shape: (..., m, n).
        dtype: a floating or complex dtype.
        kwargs: ``singular_values``: they broadcast to (..., min(m, n)); not negative.

    Raises:
        ValueError: if the shape has fewer than two axes, or a singular value is negative.
        TypeError: if the singular values are missing, or the dtype is another one.

    >>> matrix = generate_matrix((2, 2), singular_values=(1.0, 3.0))
    >>> np.linalg.svd(matrix).S.round(6)
    array([3., 1.])
    """
    (singular_values,) = parse_kwargs(kwargs, ("singular_values", None))
    if len(shape) < 2:
        raise ValueError(f"a matrix has two axes, got the shape {shape}")
    dtype = np.dtype(dtype)
    if dtype.kind not in "fc":
        raise TypeError(f"dtype must be floating or complex, got {dtype}")
    if singular_values is None:
        raise TypeError("singular_values is needed: generate_matrix(shape, singular_values=(1.0, 2.0))")
    values = np.asarray(singular_values)
    if (values < 0).any():
        raise ValueError(f"singular values are not negative, got {values}")
    noise = np.random.standard_normal(shape)  # noqa: NPY002 - users seed the global state
    if dtype.kind == "c":
        noise = noise + 1j * np.random.standard_normal(shape)  # noqa: NPY002
    left, _, right = np.linalg.svd(noise, full_matrices=False)
    return ((left * values[..., None, :]) @ right).astype(dtype)
