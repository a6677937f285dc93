"""The coefficient of determination."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


def r2_score(pred: Any, true: Any, sample_weight: Any = None, multioutput: str = "uniform_average") -> Variable:
    """1 - sum((pred - true)**2) / sum((true - mean(true))**2), for each column.

    Args:
        pred: predictions, ``(n, ...)``, floats.
        true: what they should be, of the same shape.
        sample_weight: must be None.
        multioutput: ``"uniform_average"`` for the mean of all columns, ``"raw_values"`` for each.

    Returns:
        a number, or an array, without a derivative. Where ``true`` does not vary it is 0.

    Raises:
        InvalidType: if the shapes differ, or a dtype is no float.
        ValueError: for another ``multioutput``.
        NotImplementedError: with a ``sample_weight``.

    >>> r2_score(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    variable(0.5)
    """
    if sample_weight is not None:
        raise NotImplementedError(f"r2_score(sample_weight=...){at_user_line()} is not there; leave it out")
    if multioutput not in ("uniform_average", "raw_values"):
        raise ValueError(f"multioutput must be 'uniform_average' or 'raw_values', got {multioutput!r}{at_user_line()}")

    def score(pred: Any, true: Any) -> Any:
        rest = np.sum(np.square(pred - true), axis=0)
        total = np.sum(np.square(true - np.mean(true, axis=0)), axis=0)
        each = np.where(total != 0, 1 - rest / np.where(total != 0, total, 1), 0).astype(pred.dtype)
        return each if multioutput == "raw_values" else np.mean(each)

    return apply(
        "R2_score",
        score,
        (as_array(pred), as_array(true)),
        check=lambda pred, true: (pred.dtype.kind == "f", true.dtype.kind == "f", pred.shape == true.shape),
    )


R2_score = function_class("R2_score", r2_score, "sample_weight, multioutput", called=True)
