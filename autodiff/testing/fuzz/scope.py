"""Where a program grows: statements are tried on arrays of two sizes, and only those that run are kept.

So no rule of NumPy about shapes and dtypes is written again here, and two lengths that are equal by accident in one
size are not in the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

import autodiff
from autodiff.scipy import special
from autodiff.testing.fuzz.printing import function_text
from autodiff.testing.fuzz.program import Function, Kind, Line, names_in

Shape = tuple[int, ...]

PROBES = ({"n": 3, "m": 5, "k": 2}, {"n": 6, "m": 2, "k": 7})
"""The two sizes. Halves of their lengths differ too: a program that stacks both would fit one size only."""

WORD = "uint64"
"""The dtype of random states: of a kind of its own, "w", since most whole numbers of programs are small."""

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
DTYPES = frozenset(["bool", *WHOLE, WORD, "float16", "float32", "float64", "complex64", "complex128"])
MAX_SIZE, MAX_RANK, MAX_MAGNITUDE = 1500, 4, 1e4


@dataclass(frozen=True)
class Seen:
    """What is known of a value: its shapes in both sizes, and the kind of its dtype, "b", "i", "w", "f" or "c".

    It is *plain* if it depends on no argument: traced values can neither be written into it nor pick from it.
    """

    name: str
    shapes: tuple[Shape, Shape]
    dtype: str
    kind: str
    array: bool
    plain: bool = False

    @property
    def rank(self) -> int:
        return len(self.shapes[0])

    @property
    def form(self) -> tuple[Any, ...]:
        """What a carry has to keep."""
        return self.shapes, self.dtype, self.array


@dataclass
class Scope:
    """The statements of a function as far as they are made.

    Attributes:
        random: decides everything.
        spaces: what the names stand for, in both sizes.
        seen: what is known of the names that may be read, the newest last.
        numbers: how many names the whole program has.
        depth: how many functions this one stands in.
        lines: the statements.
        own: the names whose arrays this function may write into.
        own_calls: calls of operations of users, as statements with gaps.
    """

    random: Random
    spaces: tuple[dict[str, Any], dict[str, Any]]
    seen: dict[str, Seen]
    numbers: list[int]
    depth: int = 0
    lines: list[Line] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    own_calls: list[Any] = field(default_factory=list)

    def fresh(self, letter: str = "v") -> str:
        """A new name."""
        self.numbers[0] += 1
        return f"{letter}{self.numbers[0]}"

    def add(
        self,
        text: str,
        makes: tuple[str, ...] = (),
        kind: Kind = "rounds",
        mixes: tuple[str, ...] = (),
        changes: str = "",
        bodies: tuple[Function, ...] = (),
    ) -> bool:
        """Add a statement if it runs in both sizes and makes values that are worth having."""
        found = self.tried(text, makes, changes, bodies)
        if found is None:
            return False
        self.lines.append(Line(text, makes, changes, kind, mixes, bodies))
        self.seen.update(found)
        return True

    def tried(
        self, text: str, makes: tuple[str, ...], changes: str, bodies: tuple[Function, ...] = ()
    ) -> dict[str, Seen] | None:
        """What the statement makes; None where it does not run."""
        source = "\n".join([*(part for body in bodies for part in function_text(body)), text])
        code = compile(source, "<fuzz>", "exec")
        before = [space[changes].copy() for space in self.spaces] if changes else []
        try:
            with np.errstate(all="ignore"):
                for space in self.spaces:
                    exec(code, space)
        except Exception:  # whatever NumPy refuses is no statement of a program
            self._restore(changes, before)
            return None
        plain = not bodies and all(self.seen[name].plain for name in names_in(source) if name in self.seen)
        found = {name: described(name, self.spaces[0][name], self.spaces[1][name], plain=plain) for name in makes}
        if all(found.values()) and all(map(self.worth_having, makes)):
            return {name: seen for name, seen in found.items() if seen}
        self._restore(changes, before)
        return None

    def _restore(self, changes: str, before: list[Any]) -> None:
        for space, array in zip(self.spaces, before, strict=False):
            space[changes][...] = array

    def worth_having(self, name: str) -> bool:
        """Whether most elements are finite and not huge: after an overflow nothing is told apart."""
        value = np.asarray(self.spaces[0][name])
        if value.dtype.kind not in "fc" or value.size == 0:
            return True
        good = np.isfinite(value) & (abs(value) < MAX_MAGNITUDE)
        return bool(good.mean() > 0.6) or self.random.random() < 0.1

    def inner(self, parameters: dict[str, tuple[Any, Any]]) -> Scope:
        """The scope of a function with these parameters, given by a value for each size."""
        spaces = tuple(dict(space) for space in self.spaces)
        seen = dict(self.seen)
        for name, values in parameters.items():
            for space, value in zip(spaces, values, strict=True):
                space[name] = value
            known = described(name, *values)
            if known is not None:
                seen[name] = known
        first, second = spaces
        return Scope(self.random, (first, second), seen, self.numbers, self.depth + 1, own_calls=self.own_calls)

    # Choosing operands: the newer, the likelier.

    def choose(self, kinds: str = "f", **wanted: Any) -> Seen | None:
        """A value of one of the kinds whose attributes are as wanted."""
        fitting = [
            one
            for one in self.seen.values()
            if one.kind in kinds and all(getattr(one, key) == value for key, value in wanted.items())
        ]
        if not fitting:
            return None
        return fitting[-1 - min(int(self.random.expovariate(0.45)), len(fitting) - 1)]


def empty_spaces() -> tuple[dict[str, Any], dict[str, Any]]:
    """What a program's text refers to, for each size."""
    return tuple({"np": np, "autodiff": autodiff, "special": special} for _ in PROBES)  # type: ignore[return-value]


def described(name: str, first: Any, second: Any, *, plain: bool = False) -> Seen | None:
    """What is known of a value; None where the fuzzer has no use for it."""
    dtype = getattr(first, "dtype", None)
    if dtype is None:
        dtype = np.dtype(type(first)) if type(first) in (bool, int, float, complex) else None
    if dtype is None or dtype.name not in DTYPES or type(first) is not type(second):
        return None
    shapes = np.shape(first), np.shape(second)
    if len(shapes[0]) > MAX_RANK or max(map(np.size, (first, second))) > MAX_SIZE:
        return None
    kind = "w" if dtype == WORD else "i" if dtype.kind == "u" else dtype.kind
    return Seen(name, shapes, dtype.name, kind, isinstance(first, np.ndarray), plain)
