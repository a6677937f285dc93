"""``map``: a function of each slice, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.transforms.arguments import like
from autodiff.transforms.control.loop import scan_with
from autodiff.transforms.control.rows import common_length
from autodiff.transforms.control.scan_call import scanned


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """f(x) for each slice x of ``xs``, one after the other, stacked.

    ``vmap`` gives the same all at once; ``map`` needs the memory of one call, and ``f`` may branch on values.

    Args:
        f: a function of a tree.
        xs: a tree of arrays, whose slices along the first axis are the arguments.

    Returns:
        the tree of results, each stacked along a new first axis.

    Raises:
        ControlError: if the slices differ in number, or results cannot be stacked.

    >>> import numpy as np
    >>> map(np.sum, np.eye(2))
    array([1., 1.])
    """
    if not callable(f):
        raise TypeError(f"map needs a function, got {type(f).__name__}{at_user_line()}; write map(f, xs)")
    leaves, structure, steps = common_length("map", xs, None)

    def step(carry: None, x: Any) -> tuple[None, Any]:
        return None, f(x)

    return scan_with(scanned, "map", like(f, step), None, (leaves, structure), steps)[1]
