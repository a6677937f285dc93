"""Numba: the derivative written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row


class Numba(Peer):
    """`numba.njit` of loops on NumPy arrays."""

    name = "numba"
    distribution = "numba"

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        return Work(program.numba(numba, row), inputs)
