"""Colourings: which columns, or rows, of a sparse matrix are found together, by one direction."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse


def column_colors(pattern: Any) -> Any:
    """A colour for each column, such that no row has two entries in columns of one colour.

    Columns take the smallest colour that is free, in their order: for bands that is the least number of colours. The
    colours that a row has are the bits of an integer.

    >>> column_colors(np.eye(3) + np.eye(3, k=1) + np.eye(3, k=-1))
    array([0, 1, 2])
    """
    columns = scipy.sparse.csc_array(pattern)
    starts, rows = columns.indptr.tolist(), columns.indices.tolist()
    taken = [0] * columns.shape[0]
    colors = np.empty(columns.shape[1], np.intp)
    for column in range(columns.shape[1]):
        own = rows[starts[column] : starts[column + 1]]
        used = 0
        for row in own:
            used |= taken[row]
        free = ~used & (used + 1)
        colors[column] = free.bit_length() - 1
        for row in own:
            taken[row] |= free
    return colors


def star_colors(pattern: Any) -> Any:
    """A colour for each column of a symmetric matrix, such that each entry can be read in its column or in its row.

    Neighbours differ, and no path of four has two colours alone: a star colouring, found greedily as by Gebremedhin,
    Manne and Pothen, "What color is your Jacobian?" (SIAM Review 47, 2005), algorithm 4.1.

    >>> star_colors(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]]))
    array([0, 1, 1])
    """
    rows = scipy.sparse.csr_array(pattern)
    starts, indices = rows.indptr.tolist(), rows.indices.tolist()
    near = [[w for w in indices[a:b] if w != v] for v, (a, b) in enumerate(pairwise(starts))]
    bits = [0] * len(near)
    once = [0] * len(near)  # the colours of a vertex's neighbours, as bits
    twice = [0] * len(near)  # those that two of them have
    for vertex, neighbours in enumerate(near):
        used = 0
        for w in neighbours:
            own = bits[w]
            if not own:
                used |= once[w]
                continue
            used |= own
            for x in near[w]:
                if twice[x] & own:
                    used |= bits[x]
        free = ~used & (used + 1)
        bits[vertex] = free
        for w in neighbours:
            twice[w] |= once[w] & free
            once[w] |= free
    return np.array([own.bit_length() - 1 for own in bits], np.intp)
