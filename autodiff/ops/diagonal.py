"""Diagonals of matrices: taking them out, and putting them into zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.arrays import module_of
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, spec, spec_of


def _diagonal_spec(x: Spec, *, offset: int) -> Spec:
    rows, columns = x.shape[-2:]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    return spec((*x.shape[:-2], length), x.dtype)


def _evaluate_from_diagonal(d: Any, *, offset: int, rows: int, columns: int) -> Any:
    out = np.zeros_like(d, shape=(*np.shape(d)[:-1], rows, columns))
    index = module_of(d).arange(np.shape(d)[-1])
    out[..., index - min(offset, 0), index + max(offset, 0)] = d
    return out


diagonal: Primitive = linear(
    "diagonal",
    ("x",),
    lambda x, *, offset: np.diagonal(x, offset, -2, -1),
    _diagonal_spec,
    {"x": lambda g, x_spec, offset: from_diagonal(g, offset=offset, rows=x_spec.shape[-2], columns=x_spec.shape[-1])},
    view=True,
    moves=True,
)
"""The diagonals of the matrices in the last two axes; a positive offset lies above the main diagonal."""

from_diagonal: Primitive = linear(
    "from_diagonal",
    ("d",),
    _evaluate_from_diagonal,
    lambda d, *, offset, rows, columns: spec((*d.shape[:-1], rows, columns), d.dtype),
    {"d": lambda g, offset: diagonal(g, offset=offset)},
    moves=True,
)
"""Matrices of zeros with the given diagonals."""


def square_from_diagonal(d: Any, offset: int = 0) -> Any:
    """The smallest square matrices with the given diagonals."""
    side = spec_of(d).shape[-1] + abs(offset)
    return from_diagonal(d, offset=offset, rows=side, columns=side)
