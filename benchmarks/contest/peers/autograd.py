"""HIPS autograd: no compiler, NumPy under a tape in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import autograd
import autograd.numpy
import autograd.scipy.special

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row


class Autograd(Peer):
    """The function as it is, on NumPy arrays."""

    name = "autograd"
    distribution = "autograd"

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        return Work(program.autograd(autograd, row), inputs)
