"""The operands that a case is checked at: its corners, and what hypothesis draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from autodiff.testing.cases import Case
from autodiff.testing.corners import corner_shapes, corners
from autodiff.testing.operand import Operands
from autodiff.testing.shapes import Shape, broadcastable_shapes
from autodiff.testing.strategies import operands

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def drawn_operands(case: Case) -> SearchStrategy[Operands]:
    """A strategy for the operands of one call."""
    return operands(case.each_domain, _shapes(case), case.each_dtypes, layouts=case.layouts, scalars=case.scalars)


def corner_operands(case: Case) -> Iterator[Operands]:
    """Operands in which every default or given shape occurs; none where the shapes are a strategy."""
    if isinstance(case.shapes, st.SearchStrategy):
        return iter(())
    return corners(case.each_domain, _examples(case), case.each_dtypes, case.layouts, case.scalars)


def _shapes(case: Case) -> SearchStrategy[tuple[Shape, ...]]:
    if case.shapes is None:
        return broadcastable_shapes(case.arity, min_dims=not case.zero_dim, min_side=not case.zero_size)
    if isinstance(case.shapes, st.SearchStrategy):
        return case.shapes.map(lambda shape: (shape,)) if case.arity == 1 else case.shapes
    return st.sampled_from(_examples(case))


def _examples(case: Case) -> Sequence[tuple[Shape, ...]]:
    if case.shapes is None:
        return corner_shapes(case.arity, zero_size=case.zero_size, zero_dim=case.zero_dim)
    return [(shape,) if case.arity == 1 else tuple(shape) for shape in case.shapes]  # type: ignore[union-attr]
