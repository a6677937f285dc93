"""The operands that every function is tried on, whatever hypothesis draws besides.

Random draws come upon an empty array, a Python number or a reversed view now and then; a law must not depend
on luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numpy.typing import DTypeLike

from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.operand import FORMS, Choice, Operands, has_kinks, make_operands
from autodiff.testing.draws.shapes import Shape

TURNS = 1000
"""More than there are corners: no two seeds share values."""

WHOLE: tuple[Shape, ...] = ((2, 3), (), (3,), (), (2, 0), (), (2, 1, 3), (0,))
"""No axes stand where each of the three forms of a scalar comes in turn."""

PARTS: tuple[tuple[Shape, Shape], ...] = (
    ((2, 3), (2, 3)),
    ((), ()),
    ((2, 3), (3,)),
    ((), (2,)),
    ((2, 1), (1, 3)),
    ((3,), ()),
    ((1,), (2, 2, 1)),
    ((0, 2), (2,)),
)
"""Pairs that broadcast: equal, stretched on one side or both, of different ranks, scalar, empty."""


def corner_shapes(count: int, *, zero_size: bool = True, zero_dim: bool = True) -> list[tuple[Shape, ...]]:
    """A tuple of shapes that broadcast together, one for each of `count` operands, for every corner."""
    if count == 1:
        sizes: list[tuple[Shape, ...]] = [(whole,) for whole in WHOLE]
    else:
        sizes = [tuple(pair[place % 2] for place in range(count)) for pair in PARTS]
    return [each for each in sizes if (zero_size or not any(0 in size for size in each)) and (zero_dim or all(each))]


def corners(
    domain: Sequence[Domain],
    shapes: Sequence[tuple[Shape, ...]],
    dtypes: Sequence[Sequence[DTypeLike]],
    layouts: Sequence[str],
    scalars: bool,
    seed: int = 0,
) -> Iterator[Operands]:
    """Operands in which every shape, dtype, layout and form of a scalar occurs; the last lie at kinks.

    Args:
        domain: one for each operand.
        shapes: tuples of one shape for each operand.
        dtypes: the dtypes that each operand may have.
        layouts: names of memory layouts.
        scalars: whether 0-d operands may be NumPy and Python scalars.
        seed: another number gives other values.
    """
    forms = list(FORMS) if scalars else ["array"]
    turns = max(len(shapes), len(layouts), *map(len, dtypes)) if shapes else 0
    for turn in range(turns + (1 if turns and has_kinks(domain) else 0)):
        kinked = turn == turns
        yield make_operands(
            domain,
            [
                Choice(
                    size,
                    kinds[(turn // 2 + place) % len(kinds)],  # every other shape has no axes, and lies at hits
                    layout=_layout(one, layouts, turn + place, kinked),
                    form=forms[(turn + place) % len(forms)],
                    hits=1 if kinked else turn % 2,
                )
                for place, (one, size, kinds) in enumerate(zip(domain, shapes[turn % len(shapes)], dtypes, strict=True))
            ],
            seed=turn + TURNS * seed,
            kinked=kinked,
        )


def _layout(domain: Domain, layouts: Sequence[str], turn: int, kinked: bool) -> str:
    allowed = [name for name in layouts if kinked or name != "broadcast" or not domain.distinct]
    return allowed[turn % len(allowed)]
