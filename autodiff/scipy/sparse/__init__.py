"""scipy.sparse for plain and traced values alike.

The classes are SciPy's own, whose products take traced vectors too. Called with traced entries, as in ``(data, (rows,
columns))`` or ``(data, indices, indptr)``, they make matrices of these, whose pattern is constant.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
import scipy.sparse

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.numpy.traced_sparse import TracedSparse
from autodiff.ops.matrices.sparse import Pattern
from autodiff.scipy.mirror import holds_traced, mirrored
from autodiff.scipy.sparse import linalg
from autodiff.scipy.sparse.classes import CLASSES, adopted
from autodiff.scipy.sparse.joining import JOINING

_rest = mirrored("scipy.sparse")


def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    """A matrix of diagonals, which may be traced."""
    if not holds_traced(diagonals):
        own = scipy.sparse.diags_array(diagonals, offsets=offsets, shape=shape, format=format, dtype=dtype)
        return adopted(own)
    places = np.atleast_1d(offsets)
    vectors = [diagonals] if np.ndim(offsets) == 0 and not isinstance(diagonals, (list, tuple)) else list(diagonals)
    vectors = [FUNCTIONS[np.atleast_1d](as_operand(vector)) for vector in vectors]
    if shape is None:
        size = vectors[0].shape[0] + abs(int(places[0]))
        shape = (size, size)
    rows, columns, data = [], [], []
    for vector, offset in zip(vectors, map(int, places), strict=True):
        length = min(shape[0] + min(offset, 0), shape[1] - max(offset, 0))
        own = np.arange(length)
        rows.append(own - min(offset, 0))
        columns.append(own + max(offset, 0))
        data.append(FUNCTIONS[np.broadcast_to](vector, (length,)) if vector.shape == (1,) else vector[:length])
    pattern = Pattern(np.concatenate(rows), np.concatenate(columns), (int(shape[0]), int(shape[1])))
    return TracedSparse(FUNCTIONS[np.concatenate](data), pattern)


def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    """A matrix of diagonals, which may be traced."""
    if holds_traced(diagonals):
        return diags_array(diagonals, offsets=offsets, shape=shape)
    return adopted(scipy.sparse.diags(diagonals, offsets, shape, format, dtype))


def issparse(x: Any) -> bool:
    """Whether it is a sparse matrix, of traced entries or not."""
    return isinstance(x, TracedSparse) or bool(scipy.sparse.issparse(x))


def __getattr__(name: str) -> Any:
    own = CLASSES.get(name) or JOINING.get(name)
    if own is not None:
        return own
    found = _rest(name)
    if isinstance(found, type) or "refused" not in getattr(found, "__dict__", {}):
        return found

    @wraps(found)
    def call(*args: Any, **kwargs: Any) -> Any:
        return adopted(found(*args, **kwargs))

    return call


__all__ = ["diags", "diags_array", "issparse", "linalg"]
