"""Statements with gaps for operands, axes, numbers and indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.testing.fuzz.program import Kind
from autodiff.testing.fuzz.scope import Scope, Seen

NUMBERS = ("2", "3", "-1", "0.5", "1.5", "-0.75", "0.1", "np.float32(0.5)", "np.float64(1.25)", "1")
WHOLE = ("2", "3", "-2", "5", "1", "7")
ASKED = ("int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64", "complex64", "bool")
INNER = (
    "::2",
    "1:",
    ":-1",
    "::-1",
    ":",
    ":2",
    "-2:",
    "1::2",
    "::-2",
    "1:-1",
    "0",
    "-1",
    "None",
    "[0, -1]",
    "[0, 0, -1]",
)


@dataclass(frozen=True)
class Template:
    """An expression with gaps.

    Attributes:
        text: with gaps {p}, {q}, {r} for operands, and those that :class:`Gaps` fills.
        operands: the kinds of each: "f" floating, "i" whole, "b" boolean, "c" complex, several letters for a choice;
            after the first they are of shapes that broadcast with it.
        kind: what the result is, see :class:`~autodiff.testing.fuzz.program.Line`.
        mixes: whether it adds elements up.
        weight: how often it is taken.
        traced: whether the first operand must not be plain.
    """

    text: str
    operands: tuple[str, ...] = ("f",)
    kind: Kind = "rounds"
    mixes: bool = False
    weight: int = 2
    traced: bool = False

    def add(self, scope: Scope) -> bool:
        """Add a statement with a result of this expression."""
        operands = chosen(scope, self.operands)
        if operands is None or (self.traced and operands[0].plain):
            return False
        if self.mixes and len(operands) > 1 and not all(one.rank for one in operands):
            return False  # NumPy's products with a number take 0 * nan for 0, as BLAS does
        text = self.text.format_map(Gaps(scope, operands))
        name = scope.fresh()
        mixed = tuple(dict.fromkeys(one.name for one in operands if one.kind in "fc")) if self.mixes else ()
        return scope.add(f"{name} = {text}", (name,), self.kind, mixed)


class Gaps(dict[str, str]):
    """What the gaps of a template are filled with, chosen when they are asked for."""

    def __init__(self, scope: Scope, operands: Sequence[Seen]) -> None:
        super().__init__(zip("pqr", (one.name for one in operands), strict=False))
        self.scope, self.first = scope, operands[0]

    def __missing__(self, gap: str) -> str:
        made = getattr(self, f"make_{gap}")()
        return str(made)

    def make_axis(self) -> int | None:
        return self.scope.random.randrange(-self.first.rank, self.first.rank) if self.first.rank else None

    def make_axes(self) -> Any:
        """No axis, one, or several."""
        rank, random = self.first.rank, self.scope.random
        if rank == 0 or random.random() < 0.3:
            return None
        if rank > 1 and random.random() < 0.3:
            return tuple(sorted(random.sample(range(rank), 2)))
        return self.make_axis()

    def make_keep(self) -> str:
        return self.scope.random.choice(("", ", keepdims=True"))

    def make_order(self) -> tuple[int, ...]:
        """The axes in another order."""
        order = list(range(self.first.rank))
        self.scope.random.shuffle(order)
        return tuple(order)

    def make_number(self) -> str:
        return self.scope.random.choice(NUMBERS)

    def make_whole(self) -> str:
        return self.scope.random.choice(WHOLE)

    def make_dtype(self) -> str:
        return self.scope.random.choice(("np.float32", "np.float64"))

    def make_any_dtype(self) -> str:
        return f"np.{self.scope.random.choice(ASKED)}"

    def make_index(self) -> str:
        return index(self.scope, self.first.rank)


def index(scope: Scope, rank: int) -> str:
    """The inside of brackets: slices, numbers, new axes and lists."""
    random = scope.random
    parts = [random.choice(INNER) for _ in range(random.randint(1, max(rank, 1)))]
    if parts.count("None") and rank > 2:
        parts.remove("None")
    if random.random() < 0.25:
        parts.insert(random.randrange(len(parts) + 1), "...")
    return ", ".join(parts) or "..."


def chosen(scope: Scope, kinds: Sequence[str]) -> list[Seen] | None:
    """Operands whose shapes broadcast with that of the first."""
    operands: list[Seen] = []
    for wanted in kinds:
        for _ in range(6):
            one = scope.choose(wanted)
            if one is None:
                return None
            if not operands or broadcast(operands[0], one):
                operands.append(one)
                break
        else:
            return None
    return operands


def broadcast(one: Seen, other: Seen) -> bool:
    """Whether shapes fit, in both sizes."""
    try:
        for pair in zip(one.shapes, other.shapes, strict=True):
            np.broadcast_shapes(*pair)
    except ValueError:
        return False
    return True


def templates(
    texts: str,
    operands: str = "f",
    kind: Kind = "rounds",
    mixes: bool = False,
    weight: int = 2,
    traced: bool = False,
) -> list[Template]:
    """One template a line."""
    return [
        Template(text.strip(), tuple(operands.split()), kind, mixes, weight, traced)
        for text in texts.strip().splitlines()
    ]
