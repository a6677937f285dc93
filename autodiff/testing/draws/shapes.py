"""Hypothesis strategies for shapes: one, or several that broadcast together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Shape = tuple[int, ...]

SOMETIMES = st.sampled_from((False,) * 7 + (True,))
"""True in one of eight draws: empty arrays are worth a few trials, not most of them."""


@st.composite
def shapes(draw: DrawFn, *, min_dims: int = 0, max_dims: int = 3, min_side: int = 0, max_side: int = 4) -> Shape:
    """Shapes of small arrays, 0-d and zero-size ones among them.

    >>> from hypothesis import find
    >>> find(shapes(), lambda shape: 0 in shape)
    (0,)
    """
    dims = draw(_between(min_dims, max_dims, first=(1, 2, 3, 2, 0)))
    sides = [draw(_between(max(min_side, 1), max_side, first=(2, 3, 1))) for _ in range(dims)]
    if dims and min_side == 0 and draw(SOMETIMES):
        sides[draw(st.integers(0, dims - 1))] = 0
    return tuple(sides)


def square_shapes(*, max_batch_dims: int = 1, min_side: int = 1, max_side: int = 4) -> SearchStrategy[Shape]:
    """Shapes of square matrices and stacks of them.

    Values are not drawn to make matrices regular: let the function add a multiple of the identity first.

    >>> from hypothesis import find
    >>> find(square_shapes(), lambda shape: True)
    (1, 1)
    """
    batch = st.lists(st.integers(1, 3), max_size=max_batch_dims)
    return st.builds(lambda batch, side: (*batch, side, side), batch, st.integers(min_side, max_side))


@st.composite
def broadcastable_shapes(
    draw: DrawFn, count: int, *, min_dims: int = 0, max_dims: int = 3, min_side: int = 0, max_side: int = 4
) -> tuple[Shape, ...]:
    """Tuples of `count` shapes that broadcast together: axes of length one and missing leading axes occur.

    >>> from hypothesis import find
    >>> find(broadcastable_shapes(2), lambda pair: len(pair[0]) > len(pair[1]) > 0)
    ((2, 2), (2,))
    """
    whole = draw(shapes(min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=max_side))
    return tuple(_part(whole, draw(_choice(whole)), min_dims) for _ in range(count))


def _between(low: int, high: int, first: tuple[int, ...]) -> SearchStrategy[int]:
    """The numbers from low to high; those that tell most come first, because they are drawn most often."""
    return st.sampled_from([number for number in (*first, *range(low, high + 1)) if low <= number <= high])


def _choice(whole: Shape) -> SearchStrategy[int]:
    """Nothing dropped or flattened in half of all draws; otherwise bits that say what is."""
    return st.one_of(st.just(0), st.integers(0, 2 ** (len(whole) + 2) - 1))


def _part(whole: Shape, choice: int, min_dims: int) -> Shape:
    """A shape that broadcasts to `whole`: two bits drop leading axes, the others flatten an axis to one."""
    dropped = min(choice % 4, max(len(whole) - min_dims, 0))
    flattened = choice // 4
    return tuple(1 if flattened >> axis & 1 else side for axis, side in enumerate(whole))[dropped:]
