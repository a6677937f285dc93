"""Reductions in the text of kernels: what they begin with, and how two parts become one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends.kernels.scalars import DTYPES, literal
from autodiff.trace.facts import ADDED, ALL, ANY, MULTIPLIED, Fold
from autodiff.trace.tape import Equation

OF_TRUTH = {ADDED: ANY, MULTIPLIED: ALL}
"""What sums and products of truth values are."""


def reduces(equation: Equation) -> bool:
    """Whether an operation puts elements together along axes."""
    return equation.primitive.facts.fold is not None


def fold_of(equation: Equation) -> Fold:
    """How a reduction puts its elements together."""
    fold = equation.primitive.facts.fold
    assert fold is not None, f"{equation.primitive.name} is no reduction"
    return fold


def beginning(fold: Fold, dtype: np.dtype[Any]) -> str:
    """What a reduction begins with."""
    return literal(fold.beginning(dtype), dtype)


def combined(fold: Fold, first: str, second: str, dtype: np.dtype[Any]) -> str:
    """Two parts of a reduction put together, where the order stays."""
    own = OF_TRUTH.get(fold, fold) if dtype.kind == "b" else fold
    written = own.text.format(first, second)
    return f"{DTYPES[dtype]}({written})" if dtype.kind in "iu" and own in OF_TRUTH else written


def folded(fold: Fold, total: str, value: str, dtype: np.dtype[Any]) -> str:
    """One more element in a loop, where the order may change."""
    if fold in (ANY, ALL) or (fold in OF_TRUTH and dtype.kind in "iub"):
        return combined(fold, total, value, dtype)
    return f"reduce_{fold.name}({total}, {value})"
