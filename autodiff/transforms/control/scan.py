"""``scan``: a loop over slices that carries something along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.transforms.control.blocks import scan_in_blocks
from autodiff.transforms.control.loop import scan_with
from autodiff.transforms.control.rows import common_length
from autodiff.transforms.control.scan_call import scanned


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int = 1,
    checkpoint: int | str | None = None,
) -> tuple[Any, Any]:
    """``carry, y = f(carry, x)`` for each slice x of ``xs`` in turn: the last carry, and all y stacked.

    Where values are known, this is a Python loop, and ``f`` may branch on them. Where only shapes are known (``jit``,
    ``vmap``, ``make_tape``), ``f`` is recorded once and the loop is one operation, whose derivatives are loops too. In
    reverse mode this operation stores the carry of every step and runs ``f`` again at each.

    Args:
        f: takes the carry and a slice; returns the next carry and a result. All are trees; None stands for nothing.
            The carry must keep its structure, shapes and dtypes.
        init: the first carry. A Python number in it takes the dtype that ``f`` gives it.
        xs: a tree of arrays, sliced along the first axis; None if there are none, then give ``length``.
        length: the number of steps; by default that of ``xs``.
        reverse: start with the last slice. Each result is at the position of its slice.
        unroll: how many steps a compiled loop unrolls; results do not depend on it.
        checkpoint: None, or the number n of steps in a block, or "sqrt" for the square root of the length. Reverse mode
            then stores one carry for each block and recomputes the steps of a block: it stores length / n + n
            carries instead of length.

    Returns:
        the last carry, and the tree of results, each stacked along a new first axis.

    Raises:
        ControlError: if the carry changes its form, the slices differ in number, or results cannot be stacked.
        ValueError: if ``unroll`` or ``checkpoint`` is out of range.

    >>> import numpy as np
    >>> scan(lambda total, x: (total + x, total * x), 0.0, np.array([1.0, 2.0, 3.0]))
    (np.float64(6.0), array([0., 2., 9.]))
    """
    if not callable(f):
        raise TypeError(f"scan needs a function, got {type(f).__name__}{at_user_line()}; write scan(f, init, xs)")
    leaves, structure, steps = common_length("scan", xs, length)
    check_count("unroll", unroll, "an int of at least 1")
    if checkpoint is None:
        return scan_with(scanned, "scan", f, init, (leaves, structure), steps, bool(reverse), unroll)
    if checkpoint != "sqrt":
        check_count("checkpoint", checkpoint, "None, 'sqrt' or an int of at least 1")
    block = max(round(steps**0.5), 1) if isinstance(checkpoint, str) else checkpoint
    return scan_in_blocks(f, init, (leaves, structure), steps, bool(reverse), unroll, block)


def check_count(option: str, value: Any, wanted: str) -> None:
    """Refuse what is no positive int."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"scan: {option} must be {wanted}, got {value!r}{at_user_line()}")
