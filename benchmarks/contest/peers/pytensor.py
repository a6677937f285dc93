"""PyTensor, with its own compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytensor
import pytensor.tensor
import pytensor.tensor.slinalg

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row


class Pytensor(Peer):
    """`pytensor.function` on NumPy arrays, whose types it does not look at again."""

    name = "pytensor"
    distribution = "pytensor"

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        return Work(program.pytensor(pytensor, row), inputs)

    def settings(self) -> dict[str, Any]:
        return {"linker": pytensor.config.linker}
