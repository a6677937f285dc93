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
    """carry, y = f(carry, x) for each slice x of ``xs`` in turn: the last carry, and all y stacked.

    Where values are known it is a Python loop, and ``f`` may branch on them. Where only shapes are known
    (``make_tape``, ``vmap``) ``f`` is recorded once, and the loop is one operation; its derivatives are loops in turn.
    In reverse mode that operation keeps the carry of every step, and runs ``f`` again at each.

    Args:
        f: takes the carry and a slice, returns the next carry and a result; trees all of them, None where there is
            nothing. The carry keeps its structure, shapes and dtypes.
        init: the first carry. A Python number in it takes the dtype that ``f`` gives it.
        xs: a tree of arrays, whose slices along the first axis come in; None where only ``length`` counts.
        length: the number of steps, if ``xs`` does not tell.
        reverse: begin with the last slice. The results stand where their slices do.
        unroll: how many steps a compiled loop takes at once; results do not depend on it.
        checkpoint: None, or how many steps make a block, or "sqrt" for the square root of the length. Reverse mode then
            keeps one carry a block, and takes the steps of a block again: in place of a length of values it keeps
            length / n + n.

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
