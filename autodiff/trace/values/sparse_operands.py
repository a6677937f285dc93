"""SciPy's sparse matrices as operands: their operators give up before traced values, and ours take the matrices.

A sparse matrix on the left of an operator is asked first, and makes an array of the other operand. If that cannot be
interpreted, an array of one object, it returns NotImplemented, so that Python asks the other operand. Traced values ask
for this by :func:`is_operand_of_sparse`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

OPERATORS = frozenset(("__matmul__", "__rmatmul__", "__mul__", "__rmul__", "__truediv__"))
"""Operators of sparse matrices that return NotImplemented for what they cannot interpret."""

PRODUCTS: dict[str, Callable[[str, tuple[Any, ...]], Any]] = {}
"""What computes an operation of a sparse matrix and a traced value; the layer above enters it as ``"scipy.sparse"``."""


def is_sparse(value: Any) -> bool:
    """Whether it is one of SciPy's sparse matrices or arrays."""
    module = sys.modules.get("scipy.sparse")
    issparse = getattr(module, "issparse", None)  # missing while another thread imports the module
    return issparse is not None and bool(issparse(value))


def is_operand_of_sparse(value: Any) -> bool:
    """Whether the array of a value is asked for by an operator of a sparse matrix, whose other operand it is.

    Methods such as ``A.multiply(x)`` would return NotImplemented to the user; elements of a list would be lost.
    """
    frame: FrameType | None = sys._getframe(2)
    if not of_sparse(frame) or frame is None or frame.f_locals.get("other") is not value:
        return False
    while frame is not None and of_sparse(frame):
        if frame.f_code.co_name in OPERATORS:
            return True
        frame = frame.f_back
    return False


def of_sparse(frame: FrameType | None) -> bool:
    """Whether SciPy's sparse matrices run in a frame."""
    return frame is not None and str(frame.f_globals.get("__name__")).startswith("scipy.sparse.")


def no_array() -> np.ndarray[Any, Any]:
    """What sparse matrices take for a value that is no array."""
    return np.array(None, dtype=object)
