"""What printers of kernels give to those who compile and launch them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from autodiff.trace.caching import cached_property
from autodiff.trace.spec import Spec

Role = Literal["input", "number", "output", "partial", "counter", "status", "size", "constant"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of the functions of a kernel, in their order.

    Attributes:
        name: in the text.
        role: ``input``: where an array begins. ``number``: an input that is one number, by value. ``output``: where a
            new array begins. ``partial``: memory of ``value`` elements to work in. ``counter``: ``value`` words of 32
            bits that are 0 before the kernel and after it. ``status``: a word of 32 bits that becomes 1 where an index
            is out of range. ``size``: 64 bits by value. ``constant``: a number of the program, by value.
        slot: of the kernel's tape, for inputs and outputs.
        dtype: of the elements, or of the number.
        value: a size, or how many elements; of a constant what it is.
    """

    name: str
    role: Role
    slot: int = -1
    dtype: np.dtype[Any] | None = None
    value: float = 0


LIMITS = (1 << 31) - 1, 65535, 1024
"""The most blocks along x and y, and threads of a block, of any device."""


@dataclass(frozen=True)
class Launch:
    """One launch of one function.

    Attributes:
        function: its name in the text.
        blocks: of the grid, along x and y.
        threads: of a block, along x.
        shared: bytes of shared memory beside those that the text declares.
    """

    function: str
    blocks: tuple[int, int]
    threads: int
    shared: int = 0


@dataclass(frozen=True)
class DeviceFunction:
    """One function that is launched.

    Attributes:
        name: in its kernel.
        bounds: of its launches, as CUDA takes them: ``256, 2`` for threads of a block, and blocks of a multiprocessor.
        parameters: their types and names.
        body: its lines, which use what the prelude defines.
    """

    name: str
    bounds: str
    parameters: tuple[str, ...]
    body: tuple[str, ...]

    def lines(self, name: str) -> Iterator[str]:
        """Its text under a name."""
        yield f'extern "C" __global__ void __launch_bounds__({self.bounds}) {name}({", ".join(self.parameters)}) {{'
        yield from (f"  {line}" for line in self.body)
        yield "}"


@dataclass(frozen=True)
class DeviceKernel:
    """A kernel: its functions, and how they are launched.

    Attributes:
        functions: all with the same parameters. They are the same for all sizes of a class.
        parameters: of each of the functions.
        launches: one after the other in one stream.
        results: what the outputs are, in the order of the tape.
    """

    functions: tuple[DeviceFunction, ...]
    parameters: tuple[Parameter, ...]
    launches: tuple[Launch, ...]
    results: tuple[Spec, ...]

    def __post_init__(self) -> None:
        for launch in self.launches:
            sizes = zip((*launch.blocks, launch.threads), LIMITS, strict=True)
            if not all(0 < size <= most for size, most in sizes):
                raise ValueError(
                    f"no device launches {launch.blocks} blocks of {launch.threads} threads: at most {LIMITS}"
                )

    @cached_property
    def text(self) -> str:
        """All functions under the names that they have here."""
        return self.text_named("")

    def text_named(self, ending: str) -> str:
        """All functions under names with an ending."""
        return "\n".join("\n".join((*own.lines(own.name + ending), "")) for own in self.functions)
