"""What becomes of a loss for each example: one number for all, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line


def check_reduce(reduce: str, *allowed: str) -> None:
    """See that it is one of the ways to reduce that a loss knows.

    Raises:
        ValueError: if it is not.
    """
    if reduce not in allowed:
        names = " or ".join(filter(None, (", ".join(map(repr, allowed[:-1])), repr(allowed[-1]))))
        raise ValueError(f"reduce must be {names}, got {reduce!r}{at_user_line()}")


def mean_length(counts: Any, normalize: bool) -> Any:
    """By what the sum of losses is divided: how many count, or how many examples there are; at least 1.

    Args:
        counts: which losses count, with an axis of examples in front.
        normalize: whether only those that count are counted.
    """
    return np.maximum(np.count_nonzero(counts) if normalize or not counts.ndim else len(counts), 1)
