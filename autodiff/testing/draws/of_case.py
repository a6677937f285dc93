"""The operands that a case is checked at: its corners, and what hypothesis draws."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from autodiff.testing.cases import Case
from autodiff.testing.draws.corners import corner_shapes, corners
from autodiff.testing.draws.examples import (
    TABLE,
    grows,
    layout_operands,
    magnitude_operands,
    most_precise,
    of_one_sign,
    sized_operands,
    tells,
)
from autodiff.testing.draws.operand import Operands
from autodiff.testing.draws.shapes import Shape, broadcastable_shapes
from autodiff.testing.draws.strategies import operands
from autodiff.testing.draws.ties import PLAIN, constant_operands, tie_operands

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


FINDING = settings(
    max_examples=100,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
"""How shapes with rows are looked for in a strategy."""


def drawn_operands(case: Case) -> SearchStrategy[Operands]:
    """A strategy for the operands of one call."""
    return operands(case.each_domain, _shapes(case), case.each_dtypes, layouts=case.layouts, scalars=case.scalars)


def corner_operands(case: Case) -> Iterator[Operands]:
    """Operands in which every default or given shape occurs; none where the shapes are a strategy."""
    if isinstance(case.shapes, st.SearchStrategy):
        return iter(())
    return corners(case.each_domain, _examples(case), case.each_dtypes, case.layouts, case.scalars, case.seed)


def fixed_operands(case: Case) -> Iterator[Operands]:
    """The operands that are tried whatever hypothesis draws: corners, equal ones, every magnitude, unusual sizes."""
    yield from corner_operands(case)
    if not isinstance(case.shapes, st.SearchStrategy):
        yield from _constants(case)
        yield from _ties(case)
    if not isinstance(case.shapes, st.SearchStrategy):
        yield from _magnitudes(case)
        yield from _layouts(case)
    if case.shapes is None:
        yield from _sizes(case)


def explicit_operands(case: Case) -> Iterator[Operands]:
    """Operands that hypothesis has to try, where it alone knows shapes: its tests may assume some of them away."""
    if isinstance(case.shapes, st.SearchStrategy):
        yield from _constants(case)
        yield from _ties(case)


def _constants(case: Case) -> Iterator[Operands]:
    """Operands of zeros and of equal elements, in each given shape; of a strategy, in the first one that has rows."""
    if not _floating(case):
        return
    if case.shapes is None:
        given: list[Any] = [(shape,) * case.arity for shape in PLAIN]
    elif isinstance(case.shapes, st.SearchStrategy):
        given = [_with_rows(case, _is_line), _with_rows(case, _has_row)]
    else:
        given = [*dict.fromkeys(_examples(case))]
    kinds = [most_precise(each) for each in case.each_dtypes]
    for shapes in given:
        if shapes is not None:
            yield from constant_operands(case.each_domain, shapes, kinds, case.seed)


def _ties(case: Case) -> Iterator[Operands]:
    """Equal elements within rows, in the first shapes that have one axis, and in the first that have several."""
    if not _floating(case) or all(one.distinct for one in case.each_domain):
        return
    kinds = [most_precise(each) for each in case.each_dtypes]
    for shapes in (_with_rows(case, _is_line), _with_rows(case, _is_table) or _with_rows(case, _has_row)):
        if shapes is not None:
            yield from tie_operands(case.each_domain, shapes, kinds, case.seed)


def _is_line(shape: Shape) -> bool:
    return len(shape) == 1 and shape[0] > 1


def _is_table(shape: Shape) -> bool:
    return len(shape) > 1 and shape[0] > 1 and shape[-1] > 1


def _has_row(shape: Shape) -> bool:
    return len(shape) > 1 and shape[-1] > 1


def _with_rows(case: Case, suits: Callable[[Shape], bool]) -> tuple[Shape, ...] | None:
    """The first shapes of which one suits."""

    def any_suits(shapes: tuple[Shape, ...]) -> bool:
        return _filled(shapes) and any(map(suits, shapes))

    if case.shapes is None:
        return next(((shape,) * case.arity for shape in PLAIN if suits(shape)), None)
    if not isinstance(case.shapes, st.SearchStrategy):
        return next(filter(any_suits, _examples(case)), None)
    try:
        return find(_shapes(case), any_suits, settings=FINDING)
    except NoSuchExample:
        return None


def _floating(case: Case) -> bool:
    return all(any(np.dtype(kind).kind in "fc" for kind in each) for each in case.each_dtypes)


def _magnitudes(case: Case) -> Iterator[Operands]:
    if not _floating(case) or not (case.shapes is None or any(map(_filled, _examples(case)))):
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

    Where shapes are the default ones, or arguments unasked, nobody said that the function takes them: what it refuses
    is left out.
    """
    if case.shapes is not None and not sample.unasked:
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
