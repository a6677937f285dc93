"""Diagonals of matrices: taking them out, and putting them into zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.facts import FIRST, Facts
from autodiff.trace.parameters import LENGTH, integer, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import LARGEST, Spec, spec, spec_of
from autodiff.trace.values.arrays import module_of

OFFSET = integer(-LARGEST)


def _length(rows: int, columns: int, offset: int) -> int:
    """How long a diagonal is."""
    return max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)


def _diagonal_spec(x: Spec, *, offset: int) -> Spec:
    return spec((*x.shape[:-2], _length(x.shape[-2], x.shape[-1], offset)), x.dtype)


def check_matrices(x: Spec) -> None:
    """Refuse what has no two axes."""
    require(x.ndim >= 2, f"a stack of matrices has two axes or more, and not {x.ndim}")


def _check_from_diagonal(d: Spec, *, offset: int, rows: int, columns: int) -> None:
    require(d.ndim > 0, "a number is no diagonal")
    same("the lengths of operand and diagonal", d.shape[-1], _length(rows, columns, offset))


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
    params={"offset": OFFSET},
    check=lambda x, *, offset: check_matrices(x),
    view=True,
    moves=True,
    facts=Facts(copies=FIRST, label="Diagonal"),
)
"""The diagonals of the matrices in the last two axes; a positive offset lies above the main diagonal."""

from_diagonal: Primitive = linear(
    "from_diagonal",
    ("d",),
    _evaluate_from_diagonal,
    lambda d, *, offset, rows, columns: spec((*d.shape[:-1], rows, columns), d.dtype),
    {"d": lambda g, offset: diagonal(g, offset=offset)},
    params={"offset": OFFSET, "rows": LENGTH, "columns": LENGTH},
    check=_check_from_diagonal,
    moves=True,
)
"""Matrices of zeros with the given diagonals."""


def square_from_diagonal(d: Any, offset: int = 0) -> Any:
    """The smallest square matrices with the given diagonals."""
    side = spec_of(d).shape[-1] + abs(offset)
    return from_diagonal(d, offset=offset, rows=side, columns=side)
