"""Richardson extrapolation, element by element, with an estimate of what is left of the error.

C. J. F. Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in Engineering Software 4 (1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def extrapolate(estimates: Sequence[Array] | Array, *, ratio: int = 4) -> tuple[Array, NDArray[np.float64]]:
    """The limit of differences whose step is halved from each to the next.

    Args:
        estimates: at least two arrays of one shape. The error of central differences is a power series in the square
            of the step, that of one-sided differences one in the step itself.
        ratio: by how much each term of the series shrinks more than the one before: 4 for central differences, 2 for
            one-sided ones.

    Returns:
        (limit, error): for every element the entry of the extrapolation table that agrees best with its two
        neighbours, in the row whose entries do so best; and how far half of these are from theirs, or the limit from
        what the smallest steps say. The error is infinite where every entry is NaN.

    >>> steps = 0.1 / 2.0 ** np.arange(4)
    >>> limit, error = extrapolate([(np.exp(h) - np.exp(-h)) / (2 * h) for h in steps])
    >>> bool(abs(limit - 1) < 1e-11), bool(error < 1e-7)
    (True, True)
    """
    limit = np.array(estimates[-1])
    error = np.full(limit.shape, np.inf)
    above = [np.asarray(estimates[0])]
    for estimate in estimates[1:]:
        row = [np.asarray(estimate)]
        for column, corner in enumerate(above, start=1):
            row.append((ratio**column * row[-1] - corner) / (ratio**column - 1))
        found, typical = _best_of_row(row, above)
        better = typical < error
        limit = np.where(better, found, limit)
        error = np.where(better, typical, error)
        above = row
    return limit, _confirmed(limit, error, by=above[1])


def _best_of_row(row: list[Array], above: list[Array]) -> tuple[Array, Array]:
    """The entry of a row that agrees best with its two neighbours, and how well half of the entries agree.

    Where rounding has the say, one entry may agree with its neighbours by accident; half of them do not.
    """
    pairs = zip(row[1:], row, above, strict=False)
    distances = np.stack([np.maximum(abs(entry - left), abs(entry - corner)) for entry, left, corner in pairs])
    distances = np.where(np.isnan(distances), np.inf, distances)
    best = np.argmin(distances, axis=0)
    limit = np.take_along_axis(np.stack(row[1:]), best[None], axis=0)[0]
    return limit, np.sort(distances, axis=0)[len(distances) // 2]


def _confirmed(limit: Array, error: NDArray[np.float64], by: Array) -> NDArray[np.float64]:
    """The error, raised to the distance from what the smallest steps say.

    Large steps can agree by accident: over many steps of a staircase the average slope is the same.
    """
    raised = np.maximum(error, abs(limit - by))
    return np.where(np.isnan(raised), np.inf, raised)
