"""Convolution along some axes, with sums over others."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np


def convolve(
    A: Any,
    B: Any,
    axes: Any = None,
    dot_axes: Sequence[Sequence[int]] = ((), ()),
    mode: str = "full",
) -> Any:
    """The convolution of two arrays along pairs of axes.

    Args:
        A: an array.
        B: an array.
        axes: the axes of A and those of B along which they are convolved: two sequences; all of them by default.
        dot_axes: the axes of A and of B over which products are summed.
        mode: ``"full"``, ``"valid"``, or ``"same"`` for results as long as A is.

    Returns:
        an array of the axes of A that are in none of these, those of B, and those of the convolution.

    Raises:
        NotImplementedError: for another mode.
    """
    if mode not in ("full", "valid", "same"):
        raise NotImplementedError(f"convolve knows the modes 'full', 'valid' and 'same', not {mode!r}")
    ranks = np.ndim(A), np.ndim(B)
    given = (list(range(ranks[0])), list(range(ranks[1]))) if axes is None else axes
    (conv_a, conv_b), (dot_a, dot_b) = (
        [[axis % rank for axis in own] for own, rank in zip(pair, ranks, strict=True)] for pair in (given, dot_axes)
    )
    lengths = [(np.shape(A)[a], np.shape(B)[b]) for a, b in zip(conv_a, conv_b, strict=True)]
    if mode == "valid" and all(a < b for a, b in lengths):
        A, B, ranks = B, A, ranks[::-1]
        conv_a, conv_b, dot_a, dot_b = conv_b, conv_a, dot_b, dot_a
        lengths = [(b, a) for a, b in lengths]
        swapped = True
    else:
        swapped = False
    if mode != "valid":
        widths = [(0, 0)] * ranks[0]
        for axis, (_, b) in zip(conv_a, lengths, strict=True):
            widths[axis] = (b - 1, b - 1) if mode == "full" else (b // 2, (b - 1) // 2)
        A = np.pad(A, widths)
    seen = np.lib.stride_tricks.sliding_window_view(A, [b for _, b in lengths], axis=tuple(conv_a))
    letters = iter(ascii_letters)
    of_a, of_b = [next(letters) for _ in range(ranks[0])], [next(letters) for _ in range(ranks[1])]
    for a, b in zip(dot_a, dot_b, strict=True):
        of_b[b] = of_a[a]
    inside = [of_b[b] for b in conv_b]
    rest_a = [of_a[k] for k in range(ranks[0]) if k not in (*conv_a, *dot_a)]
    rest_b = [of_b[k] for k in range(ranks[1]) if k not in (*conv_b, *dot_b)]
    out = [*(rest_b + rest_a if swapped else rest_a + rest_b), *(of_a[a] for a in conv_a)]
    turned = np.flip(B, tuple(conv_b))
    return np.einsum(f"{''.join(of_a + inside)},{''.join(of_b)}->{''.join(out)}", seen, turned)


__all__ = ["convolve"]
