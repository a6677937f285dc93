"""Random numbers as a function of a state: Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, 2011).

A state is two words of 64 bits, the seed and the number of the next counter. A counter gives four words of 32 bits, of
which elements are made in order. So a number depends on the state and its place alone: kernels of GPUs
(``backends/cupy/kernels/random.py``) compute the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.trace.parameters import DTYPE, SHAPE, one_of, real, require, same
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, result_spec, spec

Array = np.ndarray[Any, Any]

MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
KEY_STEPS = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
ROUNDS = 10
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)

DTYPES = {
    "bits": ("uint32",),
    "uniform": ("float32", "float64"),
    "normal": ("float32", "float64"),
    "bernoulli": ("bool",),
}
"""What is drawn, and of which dtypes."""

BLOCK = 8192
"""So many counters are computed at a time: what is needed in between stays in cache."""


def philox(counter: Sequence[Array], key: Sequence[Array]) -> Array:
    """The four words of counters, behind their other axes.

    Args:
        counter: four words of 32 bits, lowest first, as arrays of uint64 that broadcast.
        key: two such words.
    """
    a, b, c, d = counter
    low, high = key
    for _ in range(ROUNDS):
        first, second = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c
        a, b, c, d = (second >> HALF) ^ b ^ low, second & LOW, (first >> HALF) ^ d ^ high, first & LOW
        low, high = (low + KEY_STEPS[0]) & LOW, (high + KEY_STEPS[1]) & LOW
    return np.stack((a, b, c, d), axis=-1)


def random_words(seed: Array, numbers: Array) -> Array:
    """The four words of counters of 64 bits under a seed, each below 2**32, as uint64."""
    zero = np.zeros_like(numbers)
    return philox((numbers & LOW, numbers >> HALF, zero, zero), (seed & LOW, seed >> HALF))


def fractions(words: Array, dtype: np.dtype[Any]) -> Array:
    """Equally spaced numbers in [0, 1), as many bits as the dtype holds, as float64: of a word, or of two."""
    if dtype == np.float32:
        return (words >> np.uint64(8)) * 2.0**-24
    return ((words[..., 1::2] << HALF | words[..., ::2]) >> np.uint64(11)) * 2.0**-53


def normal(words: Array, dtype: np.dtype[Any], chance: float) -> Array:
    """Pairs of independent standard normal numbers, by Box and Muller."""
    if dtype == np.float32:
        drawn = (words[..., ::2].astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-32)
        logarithm, turns = np.log(drawn, dtype=np.float64), fractions(words[..., 1::2], dtype)
    else:
        both = fractions(words, dtype)
        logarithm, turns = np.log1p(-both[..., :1]), both[..., 1:]
    radius = np.sqrt(-2 * logarithm)
    return np.stack([radius * part for part in circle(turns)], axis=-1)


def circle(turns: Array) -> tuple[Array, Array]:
    """Cosine and sine of turns in [0, 1): only of eighths of a turn, so that 0 and 1 are exact."""
    quarter = np.rint(4 * turns)
    angle = 2 * np.pi * (turns - quarter / 4)
    cosine, sine = np.cos(angle), np.sin(angle)
    odd = quarter % 2 == 1
    x, y = np.where(odd, -sine, cosine), np.where(odd, cosine, sine)
    back = np.where(quarter % 4 >= 2, -1.0, 1.0)
    return back * x, back * y


MAKERS: dict[str, Callable[[Array, np.dtype[Any], float], Array]] = {
    "bits": lambda words, dtype, chance: words,
    "uniform": lambda words, dtype, chance: fractions(words, dtype),
    "normal": normal,
    "bernoulli": lambda words, dtype, chance: words < np.uint64(round(chance * 2.0**32)),
}


def counters(size: int, dtype: Any) -> tuple[int, int]:
    """How many counters so many numbers take, and how many numbers each of them gives."""
    each = 2 if np.dtype(dtype) == np.float64 else 4
    return -(-size // each), each


def _evaluate(state: Array, *, distribution: str, shape: tuple[int, ...], dtype: Any, chance: float) -> tuple[Any, Any]:
    lead, size, dtype = state.shape[:-1], prod(shape), np.dtype(dtype)
    many, each = counters(size, dtype)
    seed, first = state[..., :1], state[..., 1:]
    out = np.empty((*lead, *shape), dtype)
    flat = out.reshape(*lead, size)
    for begin in range(0, many, BLOCK):
        numbers = first + np.arange(begin, min(begin + BLOCK, many), dtype=np.uint64)
        made = MAKERS[distribution](random_words(seed, numbers), dtype, chance)
        part = flat[..., begin * each : (begin + BLOCK) * each]
        part[...] = made.reshape(*lead, numbers.shape[-1] * each)[..., : part.shape[-1]]
    behind = state.copy()
    behind[..., 1:] += np.uint64(many)
    return out[()], behind


def _spec(state: Spec, *, distribution: str, shape: tuple[int, ...], dtype: Any, chance: float) -> tuple[Spec, Spec]:
    return result_spec((*state.shape[:-1], *shape), dtype), spec(state.shape, state.dtype)


def _check(state: Spec, *, distribution: str, shape: tuple[int, ...], dtype: Any, chance: float) -> None:
    same("the dtype of a state and uint64", state.dtype, np.dtype(np.uint64))
    same("the last length of a state and two", state.shape[-1:], (2,))
    require(np.dtype(dtype).name in DTYPES[distribution], f"{distribution} numbers are not of {dtype}")


random_numbers: Primitive = general(
    "random_numbers", ("state",), _evaluate, _spec, {},
    params={"distribution": one_of(*DTYPES), "shape": SHAPE, "dtype": DTYPE, "chance": real(0, 1)}, check=_check,
)  # fmt: skip
"""Random numbers of a ``distribution``, and the next state; ``chance`` is that of True. Leading axes of the state are
those of a batch: each state draws for itself. No derivative."""
