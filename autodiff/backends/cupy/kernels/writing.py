"""A kernel of one operation while it is written: its parameters, functions and launches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.expressions import NAMES, typename
from autodiff.backends.cupy.kernels.grids import NAME
from autodiff.backends.cupy.kernels.kernel import DeviceFunction, DeviceKernel, Launch, Parameter
from autodiff.backends.cupy.kernels.sharing import SMALL, THREADS, WARP
from autodiff.backends.kernels.halves import is_half
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape

Lengths = tuple[int, ...]

WORDS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "Pack<uint64, 2>"}
"""What elements are moved as: the same text for all dtypes of one size."""

INTEGERS = {
    np.dtype(np.int8): "int8", np.dtype(np.int16): "int16",
    np.dtype(np.uint16): "uint16", np.dtype(np.uint64): "uint64",
}  # fmt: skip
"""Further types of integers."""

REGISTERS = 1 << 16
"""Of a multiprocessor."""

MOST_BLOCKS = 1 << 20
"""Along x; threads go on to further rows."""

MOST_ACROSS = 65535
"""Blocks along y: no device takes more."""


SUFFIX = "_64"
"""Of the names of sizes, which come with 64 bits."""


class Unsupported(Exception):
    """No kernel here does this operation; the text says why."""


def word(dtype: np.dtype[Any]) -> str:
    """The type as which elements of a dtype are moved."""
    found = WORDS.get(dtype.itemsize)
    if found is None or dtype.hasobject:
        raise Unsupported(f"kernels move no {dtype.name}")
    return found


def element(dtype: np.dtype[Any]) -> str:
    """The type of a dtype in arithmetic."""
    if dtype in NAMES or is_half(dtype):
        return typename(dtype)
    if dtype in INTEGERS:
        return INTEGERS[dtype]
    raise Unsupported(f"kernels know no {dtype.name}")


def floating(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of a dtype have fractions."""
    return dtype.kind == "f" or is_half(dtype)


def integer(dtype: np.dtype[Any]) -> str:
    """The type of a dtype of indices."""
    if dtype.kind not in "iu":
        raise Unsupported(f"no index is of {dtype.name}")
    return element(dtype)


def power_from(least: int, most: int) -> int:
    """The smallest power of two that is not below a number, up to a largest one."""
    return min(1 << max(least - 1, 0).bit_length(), most)


def team_of(items: int) -> int:
    """How many threads that talk to each other share so many items: some of a warp, or a block."""
    team = power_from(items, THREADS)
    return team if team <= WARP else THREADS


def share(rows: int, columns: int, each: int = 4) -> tuple[int, tuple[int, int]]:
    """How rows are shared out.

    Args:
        rows: how many there are.
        columns: elements of a row, or words of several.
        each: so many of them a thread should have.

    Returns:
        how many threads take a row together, and the blocks.
    """
    team = power_from(-(-columns // each), THREADS)
    down = -(-rows * team // THREADS)
    across = -(-columns // (THREADS * each)) if team == THREADS else 1
    return team, (min(max(down, 1), MOST_BLOCKS), min(max(across, 1), MOST_ACROSS))


def across_axis(shape: Lengths, axis: int) -> tuple[int, int, int]:
    """The numbers of elements before an axis, along it, and behind it."""
    place = axis % len(shape)
    before, behind = shape[:place], shape[place + 1 :]
    return int(np.prod(before, dtype=np.int64)), shape[place], int(np.prod(behind, dtype=np.int64))


class Text:
    """A kernel while it is written.

    Args:
        inputs: the specs of what it reads.
        results: the specs of what it writes.

    Attributes:
        names: of the inputs in the text.
    """

    def __init__(self, inputs: Sequence[Spec], results: Sequence[Spec]) -> None:
        self.inputs, self.results = tuple(inputs), tuple(results)
        self.names = [f"in{slot}" for slot in range(len(self.inputs))]
        self.parameters: list[tuple[Parameter, str]] = []
        self.functions: list[tuple[str, str, list[str]]] = []
        self.launches: list[Launch] = []
        self.largest = max(s.size for s in (*self.inputs, *self.results))

    def enter_arrays(self, inputs: Sequence[str], results: Sequence[str]) -> None:
        """Enter all inputs and results, by their C++ types."""
        for slot, (spec, kind) in enumerate(zip(self.inputs, inputs, strict=True)):
            self.enter(Parameter(f"in{slot}", "input", slot, spec.dtype), f"const {kind}* __restrict__")
        for place, (spec, kind) in enumerate(zip(self.results, results, strict=True)):
            self.enter(Parameter(f"out{place}", "output", place, spec.dtype), f"{kind}* __restrict__")

    def enter(self, parameter: Parameter, kind: str) -> str:
        self.parameters.append((parameter, kind))
        return parameter.name

    def size(self, name: str, value: int) -> str:
        """A number that is known when the kernel is launched."""
        self.largest = max(self.largest, abs(value))
        self.enter(Parameter(f"{name}{SUFFIX}", "size", value=int(value)), "const int64")
        return name

    def sizes(self, name: str, values: Iterable[int]) -> str:
        """Several of them, as what initializes an array."""
        return "{" + ", ".join(self.size(f"{name}{k}", value) for k, value in enumerate(values)) + "}"

    def partial(self, name: str, dtype: Any, many: int, kind: str) -> str:
        """Memory to work in."""
        self.largest = max(self.largest, many)
        return self.enter(
            Parameter(name, "partial", dtype=np.dtype(dtype), value=max(many, 1)), f"{kind}* __restrict__"
        )

    def status(self) -> str:
        """The word that says whether an index was out of range."""
        return self.enter(Parameter("status", "status", dtype=np.dtype(np.int32)), "int32* __restrict__")

    def launch(self, lines: str | Sequence[str], blocks: tuple[int, int], name: str = "", registers: int = 0) -> None:
        """A function of some lines, and its launch.

        Args:
            lines: its body.
            blocks: of the grid.
            name: what it does, where there are several.
            registers: that a thread may have; by default the compiler weighs up, and may leave some values in memory.
        """
        full = f"{NAME}_{name}" if name else NAME
        bounds = f"{THREADS}, {REGISTERS // (THREADS * registers)}" if registers else f"{THREADS}"
        self.functions.append((full, bounds, [lines] if isinstance(lines, str) else list(lines)))
        self.launches.append(Launch(full, (max(blocks[0], 1), max(blocks[1], 1)), THREADS))

    def each(self, call: str, size: int, name: str = "") -> None:
        """A launch with a thread for each element, and some for several where there are very many."""
        self.launch(call, share(size, 1)[1], name)

    def fill(self, call: str, size: int, itemsize: int, name: str) -> None:
        """A launch of `fill`, which stores 16 bytes at once, for so many elements of so many bytes."""
        self.each(call, -(-size * itemsize // 16), name)

    def kernel(self) -> DeviceKernel:
        """What is compiled and launched."""
        own = element(np.dtype(np.int32 if self.largest < SMALL else np.int64))
        places = place_lines(own, [p.name.removesuffix(SUFFIX) for p, _ in self.parameters if p.role == "size"])
        parameters = tuple(f"{kind} {p.name}" for p, kind in self.parameters)
        return DeviceKernel(
            tuple(DeviceFunction(name, bounds, parameters, (*places, *body)) for name, bounds, body in self.functions),
            tuple(p for p, _ in self.parameters),
            tuple(self.launches),
            self.results,
        )


class Writing(Text):
    """A kernel of one operation while it is written.

    Args:
        tape: of that operation. Its operands must be arrays.

    Attributes:
        equation: the operation.
        operands: their specs.
        names: of the operands in the text.
    """

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape.inputs, tape.output_specs)
        (self.equation,) = tape.equations
        self.tape = tape
        self.params = dict(self.equation.params)
        slots = self.slots()
        self.operands = [tape.inputs[slot] for slot in slots]
        self.names = [f"in{slot}" for slot in slots]

    def slots(self) -> list[int]:
        found = []
        for operand in self.equation.operands:
            if not isinstance(operand, int) or self.tape.inputs[operand].kind != "array":
                raise Unsupported("an operand that is a number")
            found.append(operand)
        return found

    @property
    def out(self) -> Spec:
        """The spec of the result."""
        return self.equation.specs[0]

    def arrays(self, operands: Sequence[str], *outputs: str) -> None:
        """Enter the inputs and outputs.

        Args:
            operands: the C++ types of the operation's operands.
            outputs: those of the results.
        """
        types = dict(zip(self.slots(), operands, strict=True))
        self.enter_arrays([types[slot] for slot in range(len(self.inputs))], outputs)


def place_lines(index: str, sizes: Iterable[str]) -> list[str]:
    """What a function begins with: the type of places, and the sizes as such."""
    cast = (f"const Index {size} = static_cast<Index>({size}{SUFFIX});" for size in sizes)
    return [f"typedef {index} Index;", *cast]
