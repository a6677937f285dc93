"""Arguments of a program: lengths, values and memory layouts, all decided by one seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import autodiff
from autodiff.testing.draws.layouts import LAYOUTS, contiguous
from autodiff.testing.fuzz.printing import eager_function_of
from autodiff.testing.fuzz.program import Input, Program
from autodiff.testing.fuzz.scope import WORD
from autodiff.testing.fuzz.transformations import gradient
from autodiff.trace.spec import spec
from autodiff.trace.tape import Tape

Sizes = dict[str, int]

LETTERS = ("n", "m", "k")
"""The lengths that a program leaves open."""

SMALL = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)
"""Lengths around the widths of vector registers, and one."""

EDGES = (0, 1, 2, 3, 63, 64, 65, 255, 256, 257)
"""Lengths around those at which kernels unroll, keep values in memory, and cut rows into blocks."""

LONG = (
    (131_073, 1, 1), (40_000, 3, 2), (3, 40_000, 2), (2, 5, 20_000), (300, 260, 2), (5, 300, 130), (40, 33, 50),
    (2048, 2048, 1), (2048, 1, 2048), (50_000, 2, 50_000), (1, 50_000, 3), (100_000, 100_000, 1), (100_000, 1, 2),
)  # fmt: skip
"""Lengths of n, m and k that reach threads and blocks of rows; a program gets such as it can bear."""

SIZES = ("small", "edges", "large")
"""What lengths are drawn from."""

MOST = 1_000_000
"""Elements that a value of a program may have."""

LONGEST = 3000
"""Operations that a large program may run: loops, and what is written out for each element, take many."""

FLAVOURS = ("plain", "plain", "plain", "equal", "ties", "ties", "signs", "extremes", "specials", "beside")
"""What values are like: most programs say most where nothing overflows; sums of equal ones round one way each time."""


def unaligned(array: NDArray[Any]) -> NDArray[Any]:
    """A view whose elements begin at odd addresses."""
    buffer = np.empty(array.nbytes + 1, np.uint8)
    view = buffer[1:].view(array.dtype).reshape(array.shape) if array.size else contiguous(array)
    view[...] = array
    return view


ARRANGEMENTS: Mapping[str, Callable[[NDArray[Any]], NDArray[Any]]] = MappingProxyType(
    {**LAYOUTS, "unaligned": unaligned}
)
"""Every memory layout by its name."""


@dataclass(frozen=True)
class Argument:
    """A value and the layout in which the program gets it."""

    value: Any
    layout: str = "contiguous"

    def laid_out(self) -> Any:
        """A fresh array, or the number."""
        return ARRANGEMENTS[self.layout](self.value) if isinstance(self.value, np.ndarray) else self.value


@dataclass(frozen=True)
class Draw:
    """What a program runs on."""

    arguments: tuple[Argument, ...]
    constants: tuple[Argument, ...] = ()


def draw(program: Program, number: int, size: str = "small") -> Draw:
    """The arguments of a draw.

    Args:
        program: the program.
        number: of the draw.
        size: one of ``SIZES``.

    Every third draw has the lengths of the one before, so that a program meets other values and layouts too.
    """
    random = np.random.default_rng((program.seed, number))
    shaping = np.random.default_rng((program.seed, number - (number % 3 == 2), 1))
    sizes = {"small": small_sizes, "edges": edge_sizes, "large": large_sizes}[size](program, shaping)
    flavour = FLAVOURS[number % len(FLAVOURS)]
    arguments = [draw_argument(one, sizes, random, flavour) for one in program.inputs]
    constants = [draw_argument(one, sizes, random, flavour) for one in program.constants]
    return Draw(tuple(arguments), tuple(constants))


def small_sizes(program: Program, random: np.random.Generator) -> Sizes:
    """Lengths for the letters; one draw in twelve has an empty axis, one in six two letters of one length."""
    sizes = {letter: SMALL[random.integers(len(SMALL) - 3 * (letter == "k"))] for letter in LETTERS}
    if random.integers(12) == 0:
        sizes[LETTERS[random.integers(len(LETTERS))]] = 0
    if random.integers(6) == 0:
        made_equal(sizes, random)
    return sizes


def edge_sizes(program: Program, random: np.random.Generator) -> Sizes:
    """One letter has a length at an edge, or two letters have it."""
    sizes = dict(zip(LETTERS, random.choice(SMALL[:5], 3).tolist(), strict=True))
    sizes[LETTERS[random.integers(3)]] = EDGES[random.integers(len(EDGES))]
    if random.integers(3) == 0:
        made_equal(sizes, random)
    return sizes if largest(program, sizes) <= MOST else small_sizes(program, random)


def made_equal(sizes: Sizes, random: np.random.Generator) -> None:
    """Give one letter the length of another: axes that have nothing to do with each other are as long."""
    one, other = random.permutation(LETTERS)[:2].tolist()
    sizes[one] = sizes[other] = max(sizes[one], sizes[other])


def large_sizes(program: Program, random: np.random.Generator) -> Sizes:
    """Lengths that make large arrays, and none too large; small ones where the program has outer products only."""
    for place in random.permutation(len(LONG)):
        sizes = dict(zip(LETTERS, LONG[place], strict=True))
        if largest(program, sizes) <= MOST:
            return sizes
    return small_sizes(program, random)


def largest(program: Program, sizes: Sizes) -> float:
    """The elements of the largest value of a program or of its gradient, found without making any of them."""
    count = len(program.inputs)
    specs = [spec(one.shape(sizes), one.dtype) for one in (*program.inputs, *program.constants)]
    if max(math.prod(map(float, one.shape)) for one in specs) > MOST:
        return math.inf

    def whole(*values: Any) -> Any:
        return gradient(eager_function_of(program, values[count:]), along=np.ones_like)(*values[:count])

    try:
        tape = autodiff.make_tape(whole)(*specs)
    except Exception:  # programs that cannot be recorded at these lengths are tried at others
        return math.inf
    everything = list(tapes_in(tape))
    if sum(times * len(inner.equations) for inner, times in everything) > LONGEST:
        return math.inf
    return max(one.size for inner, _ in everything for one in inner.specs)


def tapes_in(tape: Tape) -> Iterator[tuple[Tape, int]]:
    """A tape and the tapes in it, and how often each runs at most, as far as that is known."""
    yield tape, 1
    for equation in tape.equations:
        params = dict(equation.params)
        steps = params.get("length", 1)
        for value in params.values():
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Tape):
                    yield from ((inner, steps * times) for inner, times in tapes_in(part))


def draw_argument(one: Input, sizes: Sizes, random: np.random.Generator, flavour: str) -> Argument:
    """An argument of the right shape, dtype and form."""
    array = values(one.shape(sizes), one.dtype, random, flavour)
    if one.form != "array":
        return Argument(python_number(array) if one.form == "python scalar" else array[()])
    names = list(ARRANGEMENTS)
    layout = names[random.integers(len(names))] if random.integers(2) else "contiguous"
    if layout == "broadcast" and random.integers(3):
        layout = "fortran"
    return Argument(array, layout)


def python_number(array: NDArray[Any]) -> Any:
    """The number of an array; an integer of 64 bits, since recordings take Python's for those."""
    return int(array.astype(np.int64)) if array.dtype == WORD else array.item()


def values(shape: tuple[int, ...], dtype: str, random: np.random.Generator, flavour: str) -> NDArray[Any]:
    """An array of numbers of a flavour."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if kind in "iu":
        return _integers(shape, dtype, random, flavour)
    if kind == "c":
        array = np.asarray(_reals(shape, random, flavour) + 1j * _reals(shape, random, "ties")).astype(dtype)
        if flavour in ("extremes", "specials", "beside"):
            _sprinkle(array, complex_points(array.real.dtype), random)
        return array
    array = _reals(shape, random, flavour).astype(dtype)
    if flavour == "specials":
        _sprinkle(array, (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0), random)
    elif flavour == "extremes":
        tiny, huge = np.finfo(array.dtype).tiny, np.finfo(array.dtype).max
        _sprinkle(array, (huge**0.25, -(huge**0.2), tiny**0.25, tiny / 8, -0.0, 88.0, -104.0, 710.0), random)
    elif flavour == "beside":
        tiny, huge = np.finfo(array.dtype).smallest_subnormal, np.finfo(array.dtype).max
        points = (np.nan, np.inf, -np.inf, huge, -huge, huge / 2, huge**0.5, tiny, -tiny, 4 * tiny, 0.0, -0.0, 1.0)
        _sprinkle(array, points, random)
    return array


def _reals(shape: tuple[int, ...], random: np.random.Generator, flavour: str) -> NDArray[Any]:
    """Short decimals that single precision rounds, or one of them everywhere, or halves that tie, or signs."""
    if flavour == "ties":
        return np.asarray(random.integers(-4, 5, shape) / 2)
    if flavour == "signs":
        return np.asarray(random.integers(-1, 2, shape) * 1.0)
    return np.round(random.uniform(-3, 3, shape), 4) if flavour != "equal" else np.full(shape, random.uniform(-3, 3))


def complex_points(part: np.dtype[Any]) -> tuple[complex, ...]:
    """Zeros of all signs, and numbers whose squares overflow or vanish."""
    tiny, huge = float(np.finfo(part).tiny), float(np.finfo(part).max)
    zeros = (complex(0.0, 0.0), complex(-0.0, 0.0), complex(0.0, -0.0), complex(-0.0, -0.0), complex(-1.0, -0.0))
    return *zeros, complex(huge**0.6, -(huge**0.6)), complex(tiny**0.6, 2.0), complex(tiny**0.6, tiny**0.7), 1j


def _integers(shape: tuple[int, ...], dtype: str, random: np.random.Generator, flavour: str) -> NDArray[Any]:
    low, high = (0, 12) if np.dtype(dtype).kind == "u" else (-6, 9)
    array = random.integers(low, high, shape).astype(dtype)
    if flavour in ("extremes", "specials", "beside"):
        info = np.iinfo(array.dtype)
        _sprinkle(array, (info.max, info.max // 2, info.min // 2, info.min, 0, 1), random)
    elif dtype == WORD:
        _sprinkle(array, (2**64 - 5, 2**63 + 9, 2**53 + 1), random)
    return array


def _sprinkle(array: NDArray[Any], points: tuple[complex, ...], random: np.random.Generator) -> None:
    """Put up to a third of the elements on some of the points."""
    if array.size:
        places = random.integers(0, array.size, 1 + array.size // 3)
        array.reshape(-1)[places] = np.array(points, dtype=array.dtype)[random.integers(0, len(points), places.size)]
