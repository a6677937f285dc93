"""What kernels ask of devices, as a table of the documentation: by NVRTC, without a device.

To write it anew:

    python -m tests.backends.cupy.resource_table

For each kernel: the registers of a thread, the warps that a multiprocessor holds at once, and the bytes that must be
moved, with the time that this takes at the bandwidth that its maker gives a device. No kernel can be faster than that;
how much slower it is only a device can say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autodiff import grad, random, value_and_grad
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.runtime.compiling import FAST
from autodiff.trace.spec import Spec, spec
from tests.backends.cupy.nvrtc import Resources, resources, version
from tests.backends.cupy.running import Programs

PAGE = Path(__file__).parents[3] / "docs" / "gpu.md"
BEGIN, END = "<!-- kernels: python -m tests.backends.cupy.resource_table -->", "<!-- end of kernels -->"

DEVICES = {"sm_80": ("A100", 2.0e12), "sm_90": ("H200", 4.8e12), "sm_100": ("B200", 8.0e12)}
"""A device of each architecture, and the bytes that it moves in a second."""

REGISTERS, UNIT, THREADS, BLOCKS, WARP = 65536, 256, 2048, 32, 32
"""Of a multiprocessor: registers, which warps get in units; threads and blocks at once. Of all three architectures."""

F = np.float32


def softmax(x: Any) -> Any:
    grown = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)


def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * scale + shift


def cross_entropy(x: Any, labels: Any) -> Any:
    shifted = x - np.max(x, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(x.shape[0]), labels])


def adam(p: Any, m: Any, v: Any, g: Any) -> Any:
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 1e-3 * m / (np.sqrt(v) + 1e-8), m, v


def bent(x: Any, y: Any) -> Any:
    return np.tanh(x) * y + np.log1p(x * x) / (1 + y * y)


def half(*shape: int) -> Any:
    return spec(shape, np.float16)


def single(*shape: int) -> Any:
    return spec(shape, F)


def whole(*shape: int) -> Any:
    return spec(shape, np.int64)


@dataclass(frozen=True)
class Row:
    """A program that is one kernel, or some.

    Attributes:
        fun: what it does.
        args: what it is recorded with.
        moved: the bytes that must be moved, where that is less than all operands and results.
        fast: whether with ``fast_math=True``.
    """

    fun: Callable[..., Any]
    args: tuple[Any, ...]
    moved: int = 0
    fast: bool = False


# fmt: off
ROWS = {
    "elementwise, 10 million":               Row(bent, (single(10**7), single(10**7))),
    "the same, `fast_math=True`":            Row(bent, (single(10**7), single(10**7)), fast=True),
    "step of Adam, 10 million":              Row(adam, (single(10**7),) * 4),
    "sum of 10 million":                     Row(np.sum, (single(10**7),)),
    "sum over rows, 8192 x 1024":            Row(lambda x: np.sum(x, axis=0), (single(8192, 1024),)),
    "softmax, 8192 x 1024":                  Row(softmax, (single(8192, 1024),)),
    "softmax of float16, 8192 x 1024":       Row(softmax, (half(8192, 1024),)),
    "softmax, 4096 x 50257":                 Row(softmax, (single(4096, 50257),)),
    "layer norm, 8192 x 1024":               Row(layer_norm, (single(8192, 1024), single(1024), single(1024))),
    "gradient of layer norm, 8192 x 1024":   Row(grad(lambda x, s, t, g: np.sum(layer_norm(x, s, t) * g), argnums=(0, 1, 2)),
                                                 (single(8192, 1024), single(1024), single(1024), single(8192, 1024))),
    "cross-entropy and gradient, 4096 x 1000":  Row(value_and_grad(cross_entropy), (single(4096, 1000), whole(4096))),
    "cross-entropy and gradient, 4096 x 20000": Row(value_and_grad(cross_entropy), (single(4096, 20000), whole(4096))),
    "cross-entropy and gradient, 4096 x 32000": Row(value_and_grad(cross_entropy), (single(4096, 32000), whole(4096))),
    "cross-entropy and gradient, 4096 x 50257": Row(value_and_grad(cross_entropy), (single(4096, 50257), whole(4096))),
    "rows at indices, 8192 of 50257 x 768":  Row(lambda x, i: x[i], (single(50257, 768), whole(8192)), 2 * 8192 * 768 * 4),
    "cumulative sum, 4096 x 1024":           Row(lambda x: np.cumsum(x, axis=1), (single(4096, 1024),)),
    "normal numbers, 10 million":            Row(lambda s: random.normal(s, (10**7,), F)[0], (spec((2,), np.uint64),)),
}
# fmt: on


def readings(kernel: DeviceKernel, slot: int) -> int:
    """How often a kernel reads an input that stretches over the grid: once in each loop that does not hold it."""
    return max(1, kernel.text.count(f"load_pack<width>(in{slot} + begin)"))


def moved(kernel: DeviceKernel, inputs: Sequence[Spec]) -> int:
    """The bytes that a kernel must move."""
    read = sum(own.size * own.dtype.itemsize * readings(kernel, slot) for slot, own in enumerate(inputs))
    return read + sum(own.size * own.dtype.itemsize for own in kernel.results)


def warps(own: Resources, threads: int) -> int:
    """The warps that a multiprocessor holds at once."""
    of_block = -(-threads // WARP)
    registers = -(-own.registers * WARP // UNIT) * UNIT * of_block
    return min(REGISTERS // registers, THREADS // threads, BLOCKS) * of_block


def rounded(number: float) -> str:
    """Three digits, or all of a larger whole number."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def line(name: str, row: Row, architectures: Any = DEVICES) -> str:
    """The line of a program in the table."""
    programs = Programs({"": (row.fun, *row.args)})
    define = f"#define {FAST[0].removeprefix('-D')} 1\n" if row.fast else ""
    options = FAST[1:] if row.fast else ()
    size = row.moved or sum(moved(own, dict(params)["tape"].inputs) for params, own in programs.kernels.items())
    threads = {launch.function: launch.threads for own in programs.kernels.values() for launch in own.launches}
    cells = []
    for architecture in architectures:
        found = resources(define + programs.module.source, architecture, *options)
        assert set(found) == set(threads)
        registers = " + ".join(str(own.registers) for own in found.values())
        held = " + ".join(str(warps(own, threads[f])) for f, own in found.items())
        microseconds = size / DEVICES[architecture][1] * 1e6
        cells.append(f"{registers} | {held} | {sum(own.spills for own in found.values())} | {rounded(microseconds)}")
    return f"| {name} | {rounded(size / 1e6)} | {' | '.join(cells)} |"


def table() -> Iterator[str]:
    """The table, line by line."""
    yield f"By NVRTC {version()}. Registers of a thread, warps of 64 that a multiprocessor holds, bytes of registers spilled, and the"
    yield "microseconds that moving the megabytes takes at the bandwidth of the data sheet; `+` joins functions that run one after the other."
    yield ""
    heads = [f"{architecture} registers | warps | spills | {name} us" for architecture, (name, _) in DEVICES.items()]
    yield f"| kernel | MB | {' | '.join(heads)} |"
    yield f"|---|{'---:|' * (1 + 4 * len(DEVICES))}"
    yield from (line(name, row) for name, row in ROWS.items())


def main() -> None:
    """Write the table into its page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    made = "\n".join((BEGIN, *table(), END))
    PAGE.write_text(before + made + after, encoding="utf-8")
    sys.stdout.write(f"{made}\n")


if __name__ == "__main__":
    main()
