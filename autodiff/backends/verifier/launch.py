"""How a kernel is run, as far as places in memory depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autodiff.trace.errors import AutodiffError


class UnprovedKernelError(AutodiffError):
    """A kernel of which it cannot be proved that it stays within its memory: it is not run."""


class UnprovedKernelWarning(RuntimeWarning):
    """A part of a program runs as NumPy, since its kernel might leave its memory: please report it."""


@dataclass(frozen=True)
class Array:
    """Memory that a word of the block is the address of.

    Attributes:
        name: what the text calls it, for messages.
        bytes: how many there are.
        type: of its elements; None for memory to work in, which holds anything.
        writeable: whether the kernel may write to it.
        made: whether nothing but the kernel has written what it reads there.
        met: whether parts of the rows may meet in it.
    """

    name: str
    bytes: int
    type: str | None
    writeable: bool
    made: bool = False
    met: bool = False


@dataclass(frozen=True)
class Launch:
    """How a kernel is run, as far as places in memory depend on it.

    Attributes:
        words: the numbers in its block, and the arrays that words are the addresses of; a type where a call brings a
            number.
        rows: the size of the range of the outermost loop.
        chunk: rows of one call; None for one call.
        parallel: whether calls run side by side.
    """

    words: Mapping[int, int | str | Array]
    rows: int
    chunk: int | None
    parallel: bool


@dataclass(frozen=True)
class Fault:
    """Why a kernel is not run.

    Attributes:
        line: of its text.
        reason: what is wrong with it, or cannot be proved.
    """

    line: str
    reason: str


def listed(faults: Sequence[Fault]) -> str:
    """Faults as text."""
    return "\n".join(f"{fault.line}  # {fault.reason}" for fault in faults)
