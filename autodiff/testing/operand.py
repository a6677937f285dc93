"""The operands of one call, made from choices: sizes, dtypes, layouts, forms, and a seed for the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autodiff.testing.domains import Domain
from autodiff.testing.layouts import lay_out
from autodiff.testing.values import fill

FORMS: Mapping[str, Callable[[NDArray[Any]], Any]] = MappingProxyType(
    {
        "array": lambda array: array,
        "numpy scalar": lambda array: array[()],
        "python scalar": lambda array: array.item(),
    }
)
"""What an operand without axes may be."""


@dataclass(frozen=True)
class Operands:
    """The arguments of one call, and whether a numerical derivative exists at them."""

    args: tuple[Any, ...]
    smooth: bool


@dataclass(frozen=True)
class Choice:
    """What one operand is: shape, dtype, layout (or form, where it has no axes), and how many hits."""

    shape: tuple[int, ...]
    dtype: DTypeLike
    layout: str = "contiguous"
    form: str = "array"
    hits: int = 0


def make_operands(domain: Sequence[Domain], choices: Sequence[Choice], seed: int, kinked: bool) -> Operands:
    """Operands as they were chosen: distinct values from their domains, some of them hits.

    Args:
        domain: one for each operand.
        choices: one for each operand.
        seed: decides the values.
        kinked: whether hits are kinks, and elements that must differ may be equal.
    """
    random = np.random.default_rng(seed)
    count = max((int(np.prod(choice.shape, dtype=int)) for choice in choices), default=1)
    args = []
    for place, (one, choice) in enumerate(zip(domain, choices, strict=True)):
        array = fill(choice.shape, choice.dtype, one, random, count=count, place=place, places=len(domain))
        array = hit(array, one.kinks if kinked else one.smooth_hits, choice.hits, random)
        args.append(lay_out(array, choice.layout) if choice.shape else FORMS[choice.form](array))
    return Operands(tuple(args), smooth=not kinked)


def hit(array: NDArray[Any], points: Sequence[float], number: int, random: np.random.Generator) -> NDArray[Any]:
    """The array with up to `number` of its elements put on some of the points."""
    if points and array.size and array.dtype.kind in "fc":
        array.flat[random.integers(0, array.size, number)] = random.choice(np.array(points), number)
    return array


def has_kinks(domain: Sequence[Domain]) -> bool:
    """Whether any operand can lie at a kink."""
    return any(one.kinks or one.distinct for one in domain)
