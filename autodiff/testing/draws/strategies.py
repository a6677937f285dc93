"""Hypothesis strategies for dtypes, arrays and the operands of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from autodiff.testing.draws import domains
from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.layouts import LAYOUTS, lay_out
from autodiff.testing.draws.magnitudes import EXPONENTS, FLAVOURS
from autodiff.testing.draws.operand import FORMS, Choice, Operands, has_kinks, hit, make_operands
from autodiff.testing.draws.shapes import Shape, shapes
from autodiff.testing.draws.values import fill

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FLOATING: tuple[str, ...] = ("float64", "float32")
COMPLEX: tuple[str, ...] = ("complex128", "complex64")
INTEGERS: tuple[str, ...] = ("int64", "int32", "uint8")

SEEDS = st.integers(0, 2**16 - 1)
HITS = st.sampled_from((0, 1, 0, 2))
RARELY = st.sampled_from((False, False, False, True))


def dtypes(
    *, complex_numbers: bool = False, integers: bool = False, bools: bool = False
) -> SearchStrategy[np.dtype[Any]]:
    """Floating dtypes, with complex, integer and bool ones when asked.

    >>> from hypothesis import find
    >>> find(dtypes(), lambda dtype: True)
    dtype('float64')
    """
    names = FLOATING + COMPLEX * complex_numbers + INTEGERS * integers + ("bool",) * bools
    return st.sampled_from([np.dtype(name) for name in names])


@st.composite
def arrays(
    draw: DrawFn,
    domain: Domain = domains.real,
    *,
    shape: Shape | SearchStrategy[Shape] | None = None,
    dtype: DTypeLike | SearchStrategy[Any] = "float64",
    layouts: Sequence[str] = tuple(LAYOUTS),
) -> NDArray[Any]:
    """Arrays of the domain's smooth values in every memory layout.

    Args:
        draw: given by hypothesis.
        domain: where the values lie; its smooth hits are drawn on purpose.
        shape: fixed, or a strategy; small shapes by default.
        dtype: fixed, or a strategy.
        layouts: names from `autodiff.testing.LAYOUTS` to choose from.

    >>> from hypothesis import find
    >>> x = find(arrays(domains.positive, shape=(2,)), lambda x: x.strides == (-8,))
    >>> bool((x > 0).all())
    True
    """
    size = draw(shapes() if shape is None else shape if isinstance(shape, st.SearchStrategy) else st.just(shape))
    kind = draw(dtype) if isinstance(dtype, st.SearchStrategy) else dtype
    random = np.random.default_rng(draw(SEEDS))
    array = hit(fill(size, kind, domain, random), domain.smooth_hits, draw(HITS), random)
    return lay_out(array, draw(_layouts(domain, layouts, kinked=False)))


@st.composite
def operands(
    draw: DrawFn,
    domain: Sequence[Domain],
    shape: SearchStrategy[tuple[Shape, ...]],
    dtype: Sequence[Sequence[DTypeLike]],
    *,
    layouts: Sequence[str] = tuple(LAYOUTS),
    scalars: bool = True,
) -> Operands:
    """The operands of one call: shapes that belong together, a dtype, a layout and a domain for each.

    Args:
        draw: given by hypothesis.
        domain: one for each operand.
        shape: strategy for a tuple with one shape for each operand.
        dtype: the dtypes that each operand may have.
        layouts: names from `autodiff.testing.LAYOUTS` to choose from.
        scalars: whether a 0-d operand may be a NumPy or Python scalar.
    """
    sizes = draw(shape)
    kinked = has_kinks(domain) and draw(RARELY)
    forms = st.sampled_from([*FORMS] if scalars else ["array"])
    flavour = draw(st.sampled_from(["moderate"] * len(FLAVOURS) + [*FLAVOURS]))
    exponent = draw(st.integers(EXPONENTS[0], EXPONENTS[-1])) if flavour in ("one magnitude", "up to a hundred") else 0
    choices = [
        Choice(
            size,
            draw(st.sampled_from(list(kinds))),
            layout=draw(_layouts(one, layouts, kinked)) if size else "contiguous",
            form="array" if size else draw(forms),
            hits=draw(HITS),
            flavour="moderate" if kinked else flavour,
            exponent=exponent,
        )
        for one, size, kinds in zip(domain, sizes, dtype, strict=True)
    ]
    return make_operands(domain, choices, draw(SEEDS), kinked)


def _layouts(domain: Domain, layouts: Sequence[str], kinked: bool) -> SearchStrategy[str]:
    """The layouts that keep values distinct where they must be."""
    return st.sampled_from([name for name in layouts if kinked or name != "broadcast" or not domain.distinct])
