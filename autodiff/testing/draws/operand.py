"""The operands of one call, made from choices: sizes, dtypes, layouts, forms, and a seed for the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.layouts import lay_out
from autodiff.testing.draws.magnitudes import EVERYDAY, flavoured
from autodiff.testing.draws.values import fill

FORMS: Mapping[str, Callable[[NDArray[Any]], Any]] = MappingProxyType(
    {
        "array": lambda array: array,
        "numpy scalar": lambda array: array[()],
        "python scalar": lambda array: array.item(),
    }
)
"""What an operand without axes may be."""

MANY = 64
"""Of more elements only derivatives are compared."""


@dataclass(frozen=True)
class Operands:
    """The arguments of one call.

    Attributes:
        args: the arguments.
        smooth: whether numerical derivatives are to be taken: not where the domain says that there is a kink.
        extreme: whether numbers are so large or small, or so many, that only derivatives in double precision are
            compared.
        unasked: whether nobody said that the function is defined there: where it refuses them, or jumps, they are left
            out.
    """

    args: tuple[Any, ...]
    smooth: bool
    extreme: bool = False
    unasked: bool = False


@dataclass(frozen=True)
class Choice:
    """What one operand is: shape, dtype, layout (or form, where it has no axes), how many hits, what numbers."""

    shape: tuple[int, ...]
    dtype: DTypeLike
    layout: str = "contiguous"
    form: str = "array"
    hits: int = 0
    flavour: str = "moderate"
    exponent: int = 0


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
        if choice.flavour == "moderate" or np.dtype(choice.dtype).kind not in "fc":
            array = fill(choice.shape, choice.dtype, one, random, count=count, place=place, places=len(domain))
        elif choice.flavour == "even":
            array = evenly(choice.shape, choice.dtype, one, random, place)
        else:
            array = flavoured(choice.shape, choice.dtype, one, random, choice.flavour, choice.exponent)
        array = hit(array, one.kinks if kinked else one.smooth_hits, choice.hits, random)
        args.append(lay_out(array, choice.layout) if choice.shape else FORMS[choice.form](array))
    extreme = any(choice.flavour not in (*EVERYDAY, "even") or np.prod(choice.shape) > MANY for choice in choices)
    return Operands(tuple(args), smooth=not kinked, extreme=extreme)


def evenly(
    shape: tuple[int, ...], dtype: DTypeLike, domain: Domain, random: np.random.Generator, place: int
) -> NDArray[Any]:
    """Equally spaced numbers, which can be printed however many they are; others where the domain has gaps."""
    low, high = domain.reach
    if domain.avoid or np.dtype(dtype).kind != "f":
        return fill(shape, dtype, domain, random)
    inset = domain.margin + (high - low) * (0.011 + 0.003 * place)
    return np.linspace(low + inset, high - inset / 2, int(np.prod(shape)), dtype=dtype).reshape(shape)


def hit(array: NDArray[Any], points: Sequence[float], number: int, random: np.random.Generator) -> NDArray[Any]:
    """The array with up to `number` of its elements put on some of the points."""
    if points and array.size and array.dtype.kind in "fc":
        array.flat[random.integers(0, array.size, number)] = random.choice(np.array(points), number)
    return array


def has_kinks(domain: Sequence[Domain]) -> bool:
    """Whether any operand can lie at a kink."""
    return any(one.kinks or one.distinct for one in domain)
