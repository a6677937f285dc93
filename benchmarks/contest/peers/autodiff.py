"""autodiff itself."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import autodiff
import autodiff.chainer.functions
import autodiff.scipy.special
from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import DonatedWork, Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row


class Autodiff(Peer):
    """`autodiff.jit(function)` on NumPy arrays; bound to them where the program says so."""

    name = "autodiff"
    distribution = "autodiff"

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        if hasattr(autodiff, "set_num_threads"):
            autodiff.set_num_threads(threads)

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        function = program.autodiff(autodiff, row)
        if row.donated:
            return DonatedWork(autodiff.jit(function, donate_argnums=row.donated), inputs, None, row.donated, deepcopy)
        if program.bound:
            return Work(autodiff.jit(function).bind(*inputs))
        return Work(autodiff.jit(function), inputs)
