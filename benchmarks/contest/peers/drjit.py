"""Dr.Jit, on processors through LLVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import drjit
import drjit.llvm.ad

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.compiled_programs.program import Program, Row


class Drjit(Peer):
    """Frozen functions on arrays of its own, each result waited for. It finds LLVM by `DRJIT_LIBLLVM_PATH`."""

    name = "drjit"
    distribution = "drjit"

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        drjit.set_thread_count(threads)
        drjit.eval(drjit.llvm.ad.Float64(1.0) + 1)  # raises here where no LLVM is found
        self.read: Callable[[Any], Any] = drjit.copy

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        self.read = program.drjit_leaves
        return Drawn(program.drjit(drjit, row, inputs), self.read)


class Drawn(Work):
    """A function whose result is read as one array."""

    def __init__(self, call: Callable[..., Any], read: Callable[[Any], Any]) -> None:
        super().__init__(call)
        self.read = read

    def result(self) -> Any:
        return self.read(self.call())
