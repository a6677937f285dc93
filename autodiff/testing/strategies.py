"""Hypothesis strategies for dtypes, arrays and the operands of a call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from autodiff.testing import domains
from autodiff.testing.domains import Domain
from autodiff.testing.layouts import LAYOUTS, lay_out
from autodiff.testing.shapes import Shape, shapes
from autodiff.testing.values import fill

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FLOATING: tuple[str, ...] = ("float64", "float32")
COMPLEX: tuple[str, ...] = ("complex128", "complex64")
INTEGERS: tuple[str, ...] = ("int64", "int32", "uint8", "bool")
FORMS = ("array", "numpy scalar", "python scalar")


@dataclass(frozen=True)
class Operands:
    """The arguments of one call, and whether a numerical derivative exists at them."""

    args: tuple[Any, ...]
    smooth: bool


def dtypes(
    *, complex_numbers: bool = False, integers: bool = False, bools: bool = False
) -> "SearchStrategy[np.dtype[Any]]":
    """Floating dtypes, with complex, integer and bool ones when asked.

    >>> from hypothesis import find
    >>> find(dtypes(), lambda dtype: True)
    dtype('float64')
    """
    names = FLOATING + COMPLEX * complex_numbers + INTEGERS[:3] * integers + ("bool",) * bools
    return st.sampled_from([np.dtype(name) for name in names])


@st.composite
def arrays(
    draw: "DrawFn",
    domain: Domain = domains.real,
    *,
    shape: "Shape | SearchStrategy[Shape] | None" = None,
    dtype: "DTypeLike | SearchStrategy[Any]" = "float64",
    layouts: Sequence[str] = tuple(LAYOUTS),
) -> NDArray[Any]:
    """Arrays of the domain's smooth values in every memory layout.

    Args:
        domain: where the values lie; its smooth hits are drawn on purpose.
        shape, dtype: fixed, or strategies for them.
        layouts: names from `autodiff.testing.LAYOUTS` to choose from.

    >>> from hypothesis import find
    >>> x = find(arrays(domains.positive, shape=(2,)), lambda x: x.strides == (-8,))
    >>> bool((x > 0).all())
    True
    """
    drawn = draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    kind = draw(dtype) if isinstance(dtype, st.SearchStrategy) else dtype
    whole = draw(shapes()) if drawn is None else drawn
    random = np.random.default_rng(draw(_SEEDS))
    array = _hit(fill(whole, kind, domain, random), domain.smooth_hits, draw(_HITS), random)
    allowed = [name for name in layouts if name != "broadcast" or not domain.distinct]
    return lay_out(array, draw(st.sampled_from(allowed)))


@st.composite
def operands(
    draw: "DrawFn",
    domain: Sequence[Domain],
    shape: "SearchStrategy[tuple[Shape, ...]]",
    dtype: Sequence[Sequence[DTypeLike]],
    *,
    layouts: Sequence[str] = tuple(LAYOUTS),
    scalars: bool = True,
) -> Operands:
    """The operands of one call: shapes that belong together, a dtype, a layout and a domain for each.

    Args:
        domain: one for each operand.
        shape: strategy for a tuple with one shape for each operand.
        dtype: the dtypes that each operand may have.
        layouts: names from `autodiff.testing.LAYOUTS` to choose from.
        scalars: whether a 0-d operand may be a NumPy or Python scalar.
    """
    sizes = draw(shape)
    random = np.random.default_rng(draw(_SEEDS))
    kinked = any(one.kinks or one.distinct for one in domain) and draw(_RARELY)
    count = max((int(np.prod(size, dtype=int)) for size in sizes), default=1)
    args: list[Any] = []
    for place, (one, size, kinds) in enumerate(zip(domain, sizes, dtype, strict=True)):
        kind = draw(st.sampled_from(list(kinds)))
        array = fill(size, kind, one, random, count=count, place=place, places=len(domain))
        array = _hit(array, one.kinks if kinked else one.smooth_hits, draw(_HITS), random)
        if size:
            allowed = [name for name in layouts if name != "broadcast" or kinked or not one.distinct]
            args.append(lay_out(array, draw(st.sampled_from(allowed))))
        else:
            args.append(_FORMED[draw(st.sampled_from(FORMS if scalars else FORMS[:1]))](array))
    return Operands(tuple(args), not kinked)


def _hit(array: NDArray[Any], points: Sequence[float], number: int, random: np.random.Generator) -> NDArray[Any]:
    """The array with up to `number` elements put on one of the points."""
    if points and array.size and array.dtype.kind in "fc":
        array.flat[random.integers(0, array.size, number)] = random.choice(np.array(points), number)
    return array


_SEEDS = st.integers(0, 2**16 - 1)
_HITS = st.sampled_from((0, 1, 0, 2))
_RARELY = st.sampled_from((False, False, False, True))
_FORMED = {"array": lambda array: array, "numpy scalar": lambda array: array[()], "python scalar": lambda array: array.item()}
