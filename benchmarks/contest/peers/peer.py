"""What a library must say about itself to take part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row
    from benchmarks.contest.work import Work


class Peer:
    """A library under measurement."""

    name = ""
    distribution = ""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        """The program in this library's form, on this library's arrays."""
        raise NotImplementedError

    def plain(self, leaf: Any) -> Any:
        """A result as a NumPy array."""
        return np.asarray(leaf)

    def release(self) -> None:
        """Let go of what was compiled for the last row."""

    def settings(self) -> dict[str, Any]:
        """What a reader must know of the library's own configuration."""
        return {}
