"""Sparse matrices made of others, some of which have traced entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.numpy.traced_sparse import TracedSparse, traced_matrix
from autodiff.ops.matrices.sparse import Pattern
from autodiff.scipy.mirror import holds_traced
from autodiff.scipy.sparse.classes import adopted


def of_blocks(blocks: Sequence[Sequence[Any]]) -> TracedSparse:
    """The matrix of blocks in rows and columns; None is a block of zeros."""
    found = [[None if block is None else traced_matrix(block) for block in row] for row in blocks]
    heights = [size_of([block for block in row if block is not None], 0) for row in found]
    widths = [size_of([row[k] for row in found if row[k] is not None], 1) for k in range(len(found[0]))]
    tops, lefts = np.cumsum([0, *heights]), np.cumsum([0, *widths])
    data, rows, columns = [], [], []
    for row, top in zip(found, tops[:-1], strict=True):
        for block, left in zip(row, lefts[:-1], strict=True):
            if block is not None:
                data.append(block.data * 1.0)
                rows.append(block.pattern.rows + top)
                columns.append(block.pattern.columns + left)
    pattern = Pattern(np.concatenate(rows), np.concatenate(columns), (int(tops[-1]), int(lefts[-1])))
    return TracedSparse(FUNCTIONS[np.concatenate](data), pattern)


def size_of(blocks: Sequence[Any], axis: int) -> int:
    """The size that blocks beside each other have in common.

    Raises:
        ValueError: if they have none.
    """
    sizes = {int(block.shape[axis]) for block in blocks}
    if len(sizes) != 1:
        raise ValueError(f"blocks beside each other need one size along axis {axis}, got {sorted(sizes)}")
    return sizes.pop()


def block_diagonal(mats: Sequence[Any]) -> TracedSparse:
    """The matrix with blocks on its diagonal."""
    rows: list[list[Any]] = []
    for k, one in enumerate(mats):
        rows.append([None] * len(mats))
        rows[-1][k] = one
    return of_blocks(rows)


def kronecker(A: Any, B: Any) -> TracedSparse:
    """The Kronecker product."""
    a, b = traced_matrix(A), traced_matrix(B)
    (p, q), (m, n) = a.shape, b.shape
    rows = (a.pattern.rows[:, None] * m + b.pattern.rows).ravel()
    columns = (a.pattern.columns[:, None] * n + b.pattern.columns).ravel()
    data = FUNCTIONS[np.reshape](a.data[:, None] * b.data, (-1,))
    return TracedSparse(data, Pattern(rows, columns, (p * m, q * n)))


def part(A: Any, k: int, lower: bool) -> TracedSparse:
    """The entries on one side of a diagonal."""
    own = traced_matrix(A)
    apart = own.pattern.columns - own.pattern.rows
    inside = np.flatnonzero(apart <= k if lower else apart >= k)
    pattern = Pattern(own.pattern.rows[inside], own.pattern.columns[inside], own.shape)
    return TracedSparse(own.data[inside], pattern)


def joining(name: str, own: Callable[..., TracedSparse]) -> Callable[..., Any]:
    """A function of SciPy's name, which is SciPy's where nothing is traced."""
    original = getattr(scipy.sparse, name)

    def call(*args: Any, **options: Any) -> Any:
        if not holds_traced((args, options)):
            return adopted(original(*args, **options))
        for says_how in ("format", "dtype"):
            options.pop(says_how, None)
        return own(*args, **options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = own.__doc__
    call.__module__ = __name__
    return call


# fmt: off
JOINING = {
    "block_array": joining("block_array", lambda blocks, *_: of_blocks(blocks)),
    "bmat":        joining("bmat",        lambda blocks, *_: of_blocks(blocks)),
    "vstack":      joining("vstack",      lambda blocks, *_: of_blocks([[block] for block in blocks])),
    "hstack":      joining("hstack",      lambda blocks, *_: of_blocks([list(blocks)])),
    "block_diag":  joining("block_diag",  lambda mats, *_: block_diagonal(mats)),
    "kron":        joining("kron",        lambda A, B, *_: kronecker(A, B)),
    "tril":        joining("tril",        lambda A, k=0, *_: part(A, k, True)),
    "triu":        joining("triu",        lambda A, k=0, *_: part(A, k, False)),
}
# fmt: on
"""What joins matrices, by SciPy's names."""
