"""The gates of recurrent cells, which are sigmoids made of one tanh."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autodiff.ops.shape import reshape


def sigmoid(x: Any, xp: Any = np) -> Any:
    """(1 + tanh(x / 2)) / 2, which never overflows, and costs one tanh."""
    return xp.tanh(x * 0.5) * 0.5 + 0.5


def extract_gates(x: Any) -> list[Any]:
    """The columns a, i, f, o of all units, as four views of x: what is written to them is written to x.

    Args:
        x: ``(n, 4 units, ...)``.

    >>> [gate.tolist() for gate in extract_gates(np.arange(8).reshape(1, 8))]
    [[[0, 4]], [[1, 5]], [[2, 6]], [[3, 7]]]
    """
    units = x.reshape(x.shape[0], x.shape[1] // 4, 4, *x.shape[2:])
    return [units[:, :, gate] for gate in range(4)]


@lru_cache(maxsize=64)
def lstm_factors(units: int, dtype: Any, xp: Any) -> tuple[Any, Any]:
    """:func:`factors_of`, kept."""
    return factors_of(units, dtype, xp)


def factors_of(units: int, dtype: Any, xp: Any) -> tuple[Any, Any]:
    """What makes the columns a, i, f, o of each unit a tanh and three sigmoids: factor * tanh(factor * x) + offset."""
    factor = xp.full(4 * units, 0.5, dtype)
    factor[::4] = 1
    return factor, 1 - factor


def lstm_gates(x: Any, xp: Any) -> Any:
    """tanh of every fourth column of x, sigmoid of the others, as an array ``(n, units, 4, ...)``.

    Args:
        x: ``(n, 4 units, ...)``.
        xp: the module of its arrays.
    """
    factor, offset = (lstm_factors if xp is np else factors_of)(x.shape[1] // 4, x.dtype, xp)
    if len(x.shape) > 2:
        factor, offset = (part.reshape((-1,) + (1,) * (len(x.shape) - 2)) for part in (factor, offset))
    y = factor * np.tanh(factor * x) + offset
    return reshape(y, shape=(x.shape[0], x.shape[1] // 4, 4, *x.shape[2:]))
