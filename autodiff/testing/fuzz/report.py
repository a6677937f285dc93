"""What the fuzzer says: a mismatch with the lines of Python that show it again, and a table of counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from autodiff.testing.draws.literal import literal
from autodiff.testing.fuzz.comparing import Finding
from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.modes import Mode
from autodiff.testing.fuzz.printing import IMPORTS, printed
from autodiff.testing.fuzz.program import Program
from autodiff.testing.mismatch import source_of

WORDS = ("agrees", "raises", "refused", "staged", "undecided", "mismatch")
LONGEST = 2000
"""Elements of an argument that a script still spells out."""


@dataclass(frozen=True)
class Mismatch:
    """A mismatch, as it was found or shrunk."""

    seed: int
    number: int
    name: str
    finding: Finding
    script: str

    def __str__(self) -> str:
        return (
            f"MISMATCH seed {self.seed}, draw {self.number}, {self.name}: {self.finding.kind}\n"
            f"  {self.finding.detail}\n{self.script}"
        )


@dataclass
class Report:
    """How the checks of some programs ended."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    mismatches: list[Mismatch] = field(default_factory=list)
    programs: int = 0

    def add(self, other: Report) -> None:
        """Take in what another one counted."""
        self.counts += other.counts
        self.mismatches += other.mismatches
        self.programs += other.programs

    def total(self, word: str = "") -> int:
        """How many checks ended with a word; all of them without."""
        return sum(count for (_, own), count in self.counts.items() if word in ("", own))

    @property
    def skipped(self) -> float:
        """The share of checks that said nothing."""
        told = self.total("agrees") + self.total("mismatch")
        return 1 - told / max(self.total(), 1)

    def table(self) -> str:
        """The counts, a line for each mode."""
        modes = list(dict.fromkeys(mode for mode, _ in self.counts))
        rows: list[tuple[str, ...]] = [("mode", *WORDS)]
        rows += [(mode, *(str(self.counts[mode, word]) for word in WORDS)) for mode in modes]
        rows.append(("all", *(str(self.total(word)) for word in WORDS)))
        lines = [f"{row[0]:20}" + "".join(f"{cell:>11}" for cell in row[1:]) for row in rows]
        told = f"{self.programs} programs, {self.total()} checks, of which {self.skipped:.1%} say nothing"
        return "\n".join([*lines, told])


def script(program: Program, draw: Draw, mode: Mode) -> str:
    """Python that shows eager and compiled results of a draw."""
    used = sorted(names_in_mode(mode))
    text = IMPORTS + "".join(f"{line}\n" for name, fun in program.operations for line in source_of(fun, name))
    if any(one.layout == "unaligned" for one in (*draw.arguments, *draw.constants)):
        text += "from autodiff.testing.fuzz.drawing import unaligned\n"
    if used:
        text += f"from autodiff.testing.fuzz import {', '.join(used)}\n"
    for one, argument in zip(program.constants, draw.constants, strict=True):
        text += f"{one.name} = {argument_text(argument)}\n"
    text += printed(program)
    if mode.batched:
        used_pair = "from autodiff.testing.fuzz.modes import pair\n"
        text = text.replace(IMPORTS, IMPORTS + used_pair)
    call = "*map(pair, args)" if mode.batched else "*args"
    arguments = "".join(f"{argument_text(argument)}, " for argument in draw.arguments)
    if mode.laws:
        checked = "from autodiff.testing import check_laws\n"
        return (
            f"{text.replace(IMPORTS, IMPORTS + checked)}args = ({arguments})\ncheck_laws(f, args, only={mode.laws})\n"
        )
    compiled = mode.text.replace("jit(", "autodiff.jit(")
    if "tape(" in compiled:
        text = text.replace(IMPORTS, IMPORTS + "from autodiff.testing.fuzz.modes import tape\n")
    return text + f"args = ({arguments})\nprint({mode.eager_text}({call}))\nprint({compiled}({call}))\n"


def names_in_mode(mode: Mode) -> set[str]:
    """The transformations that a mode's text uses."""
    words = (mode.text + "(" + mode.eager_text).replace(")", "").split("(")
    return {word for word in words if "." not in word} - {"jit", "tape", "f", ""}


def argument_text(argument: Argument) -> str:
    """An argument as Python source."""
    if np.size(argument.value) > LONGEST:
        value = np.asarray(argument.value)
        return f"np.linspace(-1, 1, {value.size}).reshape({value.shape}).astype({value.dtype.name!r})"
    if argument.layout == "unaligned":
        return f"unaligned({literal(argument.value)})"
    return literal(argument.laid_out())
