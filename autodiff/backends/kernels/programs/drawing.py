"""Random numbers in kernels: the words of one counter after the other, and what is made of them.

The formulas are those of :mod:`autodiff.ops.random`. Words of 32 bits, and what is cut off of them, are exact as
float64: so uniform numbers and truths are the same to the bit, and normal ones as far as logarithms and sines are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, prod

import numpy as np

from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Impossible, steps
from autodiff.backends.kernels.programs.writer import Writer
from autodiff.backends.kernels.scalars import WORD, cast
from autodiff.ops.random import counters
from autodiff.trace.tape import Equation

DOUBLE = np.dtype(np.float64)
Words = Sequence[str]
"""The names of four words, as float64."""

Maker = Callable[["Draws", Words], list[str]]


class Draws(Writer):
    """Writes what numbers are made of words, all in float64."""

    def fraction(self, *words: str) -> str:
        """A number in [0, 1): of the first bits of a word, or of two."""
        if len(words) == 1:
            return self.let(f"floor({words[0]} * f8({2.0**-8})) * f8({2.0**-24})")
        low, high = words
        return self.let(f"({high} * f8({2.0**21}) + floor({low} * f8({2.0**-11}))) * f8({2.0**-53})")

    def pair(self, logarithm: str, turns: str) -> list[str]:
        """Two normal numbers, by Box and Muller: the cosine and sine of eighths of a turn only."""
        radius = self.let(f"sqrt(f8(-2.0) * {logarithm})")
        quarter = self.let(f"rint(f8(4.0) * {turns})")
        angle = self.let(f"f8({2 * pi!r}) * ({turns} - {quarter} / f8(4.0))")
        cosine, sine = self.let(f"cos({angle})"), self.let(f"sin({angle})")
        odd = self.let(f"({quarter} == f8(1.0)) | ({quarter} == f8(3.0))")
        back = self.let(f"where(({quarter} == f8(2.0)) | ({quarter} == f8(3.0)), f8(-1.0), f8(1.0))")
        parts = f"where({odd}, -{sine}, {cosine})", f"where({odd}, {cosine}, {sine})"
        return [f"{radius} * ({back} * {part})" for part in parts]


def uniform(draws: Draws, words: Words) -> list[str]:
    """Two fractions."""
    return [draws.fraction(*words[:2]), draws.fraction(*words[2:])]


def uniform_single(draws: Draws, words: Words) -> list[str]:
    """Four fractions."""
    return [draws.fraction(word) for word in words]


def normal(draws: Draws, words: Words) -> list[str]:
    """A pair of normal numbers."""
    one, other = uniform(draws, words)
    return draws.pair(draws.let(f"log1p(-{one})"), other)


def normal_single(draws: Draws, words: Words) -> list[str]:
    """Two pairs of normal numbers."""
    found = []
    for drawn, turned in (words[:2], words[2:]):
        whole = draws.let(f"(f4({drawn}) + f4(0.5)) * f4({2.0**-32})")
        found += draws.pair(draws.let(f"log(f8({whole}))"), draws.fraction(turned))
    return found


MAKERS: dict[tuple[str, str], Maker] = {
    ("uniform", "float64"): uniform,
    ("uniform", "float32"): uniform_single,
    ("normal", "float64"): normal,
    ("normal", "float32"): normal_single,
}
"""What is made of the words of a counter, by distribution and dtype."""


def truths(chance: float) -> Maker:
    """Whether words are below so many of all."""
    bound = float(round(chance * 2.0**32))
    return lambda draws, words: [f"{word} < f8({bound!r})" for word in words]


@handles("random_numbers")
def random_numbers(scope: Scope, equation: Equation) -> None:
    """Numbers of each state of a batch, and the next states."""
    params, (out, behind), emitter = dict(equation.params), equation.specs, scope.emitter
    distribution, chance = params["distribution"], params["chance"]
    maker = truths(chance) if distribution == "bernoulli" else MAKERS.get((distribution, out.dtype.name))
    if maker is None or emitter.rows is not None:
        raise Impossible(f"random numbers of {out.dtype.name}, or in a part of the rows")
    if distribution == "normal" and not scope.looped:
        raise Impossible("normal numbers, of which NumPy's functions outside of loops keep the last bit")
    lead, shape = behind.shape[:-1], params["shape"]
    many, each = counters(prod(shape), out.dtype)
    writer = Draws(scope, equation, DOUBLE)
    emitter.flush()
    state = emitter.allocate(behind.shape, WORD)
    scope.copied(state, equation.operands[0])
    emitter.flush()
    following = emitter.allocate(behind.shape, WORD)
    room = emitter.allocate((prod(lead), many * each), out.dtype)
    words = emitter.allocate((4,), DOUBLE)
    with writer.loop(0, prod(lead)) as k:
        seed, first = (writer.let(f"load_uint64({state.base}, {k} * 2 + {part})", "w") for part in (0, 1))
        with writer.loop(0, many) as number:
            emitter.line(f"philox_float64({seed}, {first} + {number}, {words.base})")
            drawn = [writer.let(writer.at(words.base, str(place))) for place in range(4)]
            for place, made in enumerate(maker(writer, drawn)):
                value = made if out.dtype.kind == "b" else cast(made, DOUBLE, out.dtype)
                target = f"({k} * {many} + {number}) * {each} + {place}"
                emitter.line(f"store_{out.dtype}({room.base}, {target}, {value})")
        for part, value in enumerate((seed, f"{first} + {many}")):
            emitter.line(f"store_uint64({following.base}, {k} * 2 + {part}, {value})")
    strides = (*(many * each * step for step in steps(lead)), *steps(shape))
    scope.keep(equation, Buffer(room.base, out.shape, strides, 0, out.dtype), following)
