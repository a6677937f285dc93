"""The operands that a case is checked at: its corners, and what hypothesis draws."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from autodiff.testing.cases import Case
from autodiff.testing.draws.corners import corner_shapes, corners
from autodiff.testing.draws.examples import (
    TABLE,
    grows,
    layout_operands,
    magnitude_operands,
    of_one_sign,
    sized_operands,
    tells,
)
from autodiff.testing.draws.operand import Operands
from autodiff.testing.draws.shapes import Shape, broadcastable_shapes
from autodiff.testing.draws.strategies import operands

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def drawn_operands(case: Case) -> SearchStrategy[Operands]:
    """A strategy for the operands of one call."""
    return operands(case.each_domain, _shapes(case), case.each_dtypes, layouts=case.layouts, scalars=case.scalars)


def corner_operands(case: Case) -> Iterator[Operands]:
    """Operands in which every default or given shape occurs; none where the shapes are a strategy."""
    if isinstance(case.shapes, st.SearchStrategy):
        return iter(())
    return corners(case.each_domain, _examples(case), case.each_dtypes, case.layouts, case.scalars, case.seed)


def fixed_operands(case: Case) -> Iterator[Operands]:
    """The operands that are tried whatever hypothesis draws: corners, every magnitude, unusual sizes."""
    yield from corner_operands(case)
    if not isinstance(case.shapes, st.SearchStrategy):
        yield from _magnitudes(case)
        yield from _layouts(case)
    if case.shapes is None:
        yield from _sizes(case)


def _magnitudes(case: Case) -> Iterator[Operands]:
    floating = all(any(np.dtype(kind).kind in "fc" for kind in each) for each in case.each_dtypes)
    if not floating or not (case.shapes is None or any(map(_filled, _examples(case)))):
        return
    shapes = None if case.shapes is None else next(filter(_filled, _examples(case)))
    for sample in magnitude_operands(case.each_domain, shapes, case.each_dtypes, case.seed):
        if accepts(case, sample) is not None or tells(case.of_operands, sample):
            yield sample
        else:
            yield from (one for one in of_one_sign(sample, case.each_domain) if tells(case.of_operands, one))


def _layouts(case: Case) -> Iterator[Operands]:
    shapes = [TABLE] * case.arity if case.shapes is None else next(filter(_flat, _examples(case)), None)
    if shapes is not None:
        yield from layout_operands(case.each_domain, shapes, case.each_dtypes, case.layouts, case.seed)


def _flat(shapes: tuple[Shape, ...]) -> bool:
    return _filled(shapes) and any(len(shape) > 1 and min(shape) > 1 for shape in shapes)


def _sizes(case: Case) -> Iterator[Operands]:
    for sample in sized_operands(case.each_domain, case.each_dtypes, case.seed):
        if accepts(case, sample) is None:
            yield sample
            if np.ndim(sample.args[0]) == 1 and grows(case.of_operands, sample):
                return


def _filled(shapes: tuple[Shape, ...]) -> bool:
    return all(0 not in shape for shape in shapes)


def accepts(case: Case, sample: Operands) -> Exception | None:
    """None where the function itself takes the arguments; otherwise how it refuses them.

    Where shapes are the default ones nobody said that the function takes them: what it refuses is left out.
    """
    if case.shapes is not None:
        return None
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            if any(np.size(x) == 0 for x in sample.args):
                warnings.simplefilter("error", RuntimeWarning)  # such as the mean of nothing
            case.of_operands(*(np.array(x) if isinstance(x, np.ndarray) else x for x in sample.args))
    except (ValueError, TypeError, IndexError, ArithmeticError, RuntimeWarning) as refusal:
        return refusal
    return None


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
