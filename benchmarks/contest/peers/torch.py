"""PyTorch, eager and compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.trees import mapped
from benchmarks.contest.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.compiled_programs.program import Program, Row


class Torch(Peer):
    """Eager PyTorch."""

    name = "torch"
    distribution = "torch"

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        torch.set_num_threads(threads)

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        return Work(program.torch(torch, self.compiled, row, mapped(native, inputs)))

    def plain(self, leaf: Any) -> Any:
        return leaf.detach().numpy() if isinstance(leaf, torch.Tensor) else np.asarray(leaf)

    @property
    def compiled(self) -> Callable[..., Any]:
        """What the program's form puts around what it would compile."""
        return as_it_is

    def settings(self) -> dict[str, Any]:
        """Threads in use."""
        return {"threads": torch.get_num_threads()}


class CompiledTorch(Torch):
    """`torch.compile` around the forward pass, or around a whole function of `torch.func`."""

    name = "torch.compile"

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        torch.compile(lambda x: x + 1)(torch.zeros(1))  # raises here where no C++ compiler is found

    @property
    def compiled(self) -> Callable[..., Any]:
        return torch.compile

    def release(self) -> None:
        torch.compiler.reset()


def native(leaf: Any) -> Any:
    """A tensor with memory of its own."""
    return torch.tensor(leaf, dtype=torch.float64 if isinstance(leaf, float) else None)


def as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    """No compiler."""
    return function
