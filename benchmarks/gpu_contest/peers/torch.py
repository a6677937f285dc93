"""PyTorch: eager, compiled, and captured as a graph of CUDA."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from benchmarks.compiled_programs.program import LeftOutError
from benchmarks.contest.trees import leaves, mapped
from benchmarks.gpu_contest.clocks import Clock, HostClock, TorchClock
from benchmarks.gpu_contest.peers.peer import TIMES_CACHE, DevicePeer, Place
from benchmarks.gpu_contest.work import DeviceWork

if TYPE_CHECKING:
    from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow

WARM = 3  # calls before a capture, as PyTorch's documentation asks


class Torch(DevicePeer):
    """Eager PyTorch."""

    name = "torch"
    distribution = "torch"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.device = "cpu" if place.standin else "cuda"
        if not place.standin:
            if not torch.cuda.is_available():
                raise RuntimeError("PyTorch finds no GPU")
            torch.cuda.set_per_process_memory_fraction(place.memory)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        step = program.torch(torch, self.compiled, row, self.native(row, inputs))  # type: ignore[arg-type]
        return DeviceWork(step, (), self.clock, self.flush if row.cold else None)

    def set_precision(self, row: DeviceRow) -> None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = row.precision == "TF32"

    def native(self, row: DeviceRow, tree: Any) -> Any:
        """Tensors with memory of their own, on the device, floats of the row's dtype."""

        def tensor(leaf: Any) -> Any:
            there = torch.tensor(leaf, device=self.device)
            return there.to(torch.bfloat16) if row.kind == "bfloat16" and there.dtype == torch.float32 else there

        return mapped(tensor, tree)

    def plain(self, leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and leaf.dtype == torch.bfloat16:
            leaf = leaf.float()
        return leaf.detach().cpu().numpy() if isinstance(leaf, torch.Tensor) else np.asarray(leaf)

    @property
    def compiled(self) -> Callable[..., Any]:
        """What the program's form puts around what it would compile."""
        return as_it_is

    @property
    def clock(self) -> Clock:
        """Events, or the host's clock where nothing runs on a device."""
        return HostClock(as_it_is) if self.place.standin else TorchClock(torch)

    @cached_property
    def flush(self) -> Callable[[], Any]:
        """What overwrites the second-level cache; twice, so that the next call is there when it ends."""
        if self.place.standin:
            return lambda: None
        size = TIMES_CACHE * torch.cuda.get_device_properties("cuda").L2_cache_size
        memory = torch.zeros(size, dtype=torch.uint8, device="cuda")

        def twice() -> None:
            memory.fill_(1)
            memory.fill_(2)

        return twice

    def alive(self) -> None:
        torch.ones(2, device=self.device).sum().item()

    def release(self) -> None:
        self.__dict__.pop("flush", None)
        if not self.place.standin:
            torch.cuda.empty_cache()

    def settings(self) -> dict[str, Any]:
        """For which CUDA it was built, and the products of matrices."""
        return {"cuda": torch.version.cuda, "tf32": torch.backends.cuda.matmul.allow_tf32}


class CompiledTorch(Torch):
    """`torch.compile` around the forward pass."""

    name = "torch.compile"

    @property
    def compiled(self) -> Callable[..., Any]:
        return torch.compile

    def release(self) -> None:
        torch.compiler.reset()
        super().release()


class GraphedTorch(Torch):
    """A whole step captured as a graph: compiled and eager, of which the faster one is measured."""

    name = "torch graphs"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        if place.standin:
            raise RuntimeError("graphs of CUDA need a GPU")
        self.chosen: dict[str, str] = {}

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        if not row.replayed:
            raise LeftOutError("a row for small programs only")
        eager = self.captured(program, row, inputs, as_it_is)
        try:
            compiled = self.captured(program, row, inputs, torch.compile)
        except Exception as error:  # torch.compile has many; the eager graph is there
            self.chosen[f"{program.name}, {row.size}"] = f"eager; compiled: {type(error).__name__}"
            return eager
        both = {"eager": eager, "compiled": compiled}
        fastest = min(both, key=lambda name: min(both[name].warm(20) for _ in range(3)))
        self.chosen[f"{program.name}, {row.size}"] = fastest
        return both[fastest]

    def captured(
        self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...], compiled: Callable[..., Any]
    ) -> DeviceWork:
        """The step as a graph, whose first replay begins with the given state."""
        step = program.torch(torch, compiled, row, self.native(row, inputs))  # type: ignore[arg-type]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = step()
        given = self.native(row, inputs)

        def replay() -> Any:
            graph.replay()
            return result

        def restarted() -> Any:
            with torch.no_grad():
                for number, position in enumerate(row.donated):
                    for own, first in zip(leaves(result[number]), leaves(given[position]), strict=True):
                        own.copy_(first)
            return replay()

        return Replayed(replay, restarted, self.clock)

    def release(self) -> None:
        torch.compiler.reset()
        super().release()

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "captured": self.chosen}


class Replayed(DeviceWork):
    """A graph; its first result is that of the given state, which warming up has changed."""

    def __init__(self, replay: Callable[[], Any], restarted: Callable[[], Any], clock: Clock) -> None:
        super().__init__(replay, (), clock)
        self.restarted = restarted

    def result(self) -> Any:
        result = self.restarted()
        self.clock.wait(result)
        return result


def as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    """No compiler."""
    return function
