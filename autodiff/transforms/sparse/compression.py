"""A sparse matrix from few products: which directions to take, and where each entry is found in the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from autodiff.ops.matrices.sparse import Pattern
from autodiff.transforms.sparse.coloring import column_colors, star_colors


class Compression:
    """How the entries of a matrix with a known pattern are found.

    Args:
        pattern: a boolean matrix in rows, sorted.
        colors: for each column, or each row, the number of the direction that has it.
        places: for each entry the element of a product in which it is found.
        found_by: the direction of that product.
        by_rows: whether directions are cotangents.
    """

    def __init__(self, pattern: Any, colors: Any, places: Any, found_by: Any, by_rows: bool = False) -> None:
        self.pattern = pattern
        self.colors = colors
        self.count = int(colors.max(initial=-1)) + 1
        self.places = places
        self.found_by = found_by
        self.by_rows = by_rows

    def directions(self, start: int, stop: int) -> Any:
        """Some of the directions, one in each row: sums of unit vectors, as booleans."""
        return self.colors == np.arange(start, stop)[:, None]


def entry_rows(pattern: Any) -> Any:
    """The row of each entry."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))


def by_columns(pattern: Any) -> Compression:
    """A matrix from its products with directions, each of which has several columns."""
    colors = column_colors(pattern)
    return Compression(pattern, colors, entry_rows(pattern), colors[pattern.indices])


def by_rows(pattern: Any) -> Compression:
    """A matrix from products with its transpose."""
    colors = column_colors(pattern.T)
    return Compression(pattern, colors, pattern.indices, colors[entry_rows(pattern)], by_rows=True)


def fewest(pattern: Any) -> Compression:
    """By columns or by rows, whatever takes fewer directions; a row of many entries rules columns out at once."""
    longest = np.diff(pattern.indptr).max(initial=0), np.bincount(pattern.indices).max(initial=0)
    first, second = (by_columns, by_rows) if longest[0] <= longest[1] else (by_rows, by_columns)
    found = first(pattern)
    if found.count <= max(longest):
        return found
    other = second(pattern)
    return other if other.count < found.count else found


def by_symmetry(pattern: Any) -> Compression:
    """A symmetric matrix from its products, fewer than without symmetry.

    Of what operations say of either half the other one counts too.
    """
    pattern = scipy.sparse.csr_array(pattern.multiply(pattern.T))
    pattern.sort_indices()
    colors = star_colors(pattern)
    rows, columns = entry_rows(pattern), pattern.indices
    _, inverse, times = np.unique(
        rows * (int(colors.max(initial=0)) + 1) + colors[columns], return_inverse=True, return_counts=True
    )
    alone = times[inverse] == 1
    return Compression(pattern, colors, np.where(alone, rows, columns), colors[np.where(alone, columns, rows)])


class Block:
    """A part of a matrix: the derivative of one leaf of the result by one leaf of the arguments.

    Args:
        pattern: of the whole matrix, in rows.
        rows: the first row of the part, and the one behind its last.
        columns: the same of columns.

    Attributes:
        entries: which of the whole matrix's entries are its own; None for all.
        part: its pattern.
    """

    def __init__(self, pattern: Any, rows: tuple[int, int], columns: tuple[int, int]) -> None:
        of_rows, of_columns = entry_rows(pattern), pattern.indices
        whole = rows == (0, pattern.shape[0]) and columns == (0, pattern.shape[1])
        inside = (of_rows >= rows[0]) & (of_rows < rows[1]) & (of_columns >= columns[0]) & (of_columns < columns[1])
        self.entries = None if whole else np.flatnonzero(inside)
        shape = (rows[1] - rows[0], columns[1] - columns[0])
        own_rows, own_columns = of_rows[inside] - rows[0], of_columns[inside] - columns[0]
        self.pattern = Pattern(own_rows, own_columns, shape)
        self.indices = own_columns.astype(pattern.indices.dtype)
        self.indptr = np.searchsorted(own_rows, np.arange(shape[0] + 1)).astype(pattern.indptr.dtype)

    def matrix(self, data: Any) -> Any:
        """The part with its entries, plain ones."""
        return scipy.sparse.csr_array((data, self.indices.copy(), self.indptr.copy()), self.pattern.shape)
