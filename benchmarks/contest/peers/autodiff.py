"""autodiff itself."""

from __future__ import annotations

from copy import deepcopy
from inspect import signature
from typing import TYPE_CHECKING, Any

import autodiff
import autodiff.chainer.functions
import autodiff.scipy.special  # noqa: F401 - programs use it as autodiff.scipy.special
from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import DonatedWork, Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row

DONATES = "donate_argnums" in signature(autodiff.jit).parameters


class Autodiff(Peer):
    """`autodiff.jit(function)` on NumPy arrays."""

    name = "autodiff"
    distribution = "autodiff"

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        if hasattr(autodiff, "set_num_threads"):
            autodiff.set_num_threads(threads)

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        function = program.autodiff(autodiff, row)
        if not row.donated:
            return Work(autodiff.jit(function), inputs)
        options = {"donate_argnums": row.donated} if DONATES else {}
        return DonatedWork(autodiff.jit(function, **options), inputs, None, row.donated, deepcopy)

    def notes(self, program: Program, row: Row) -> list[str]:
        return ["jit has no donate_argnums here: nothing was donated"] if row.donated and not DONATES else []
