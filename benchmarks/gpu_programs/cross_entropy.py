"""Softmax cross-entropy with integer labels: a row stays on one multiprocessor, and is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.compiled_programs.cross_entropy import CrossEntropy
from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class DeviceCrossEntropy(DeviceProgram, CrossEntropy):
    """Value and gradient with respect to the logits; the labels are on the device too."""

    rows = (  # type: ignore[assignment]
        DeviceRow("8192x10000", (8_192, 10_000), (6, 50), copied=81_920_000),
        DeviceRow("256x1000", (256, 1_000), (5, 20)),
        DeviceRow("256x1000 cold", (256, 1_000), (5, 20), cold=True),
        DeviceRow("4096x32000 bfloat16", (4_096, 32_000), (6, 50), precision="bfloat16"),
    )

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        examples, classes = row.parameters
        return normal(random, examples, classes, scale=3.0), random.integers(0, classes, examples)

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        def step(logits: Any, labels: Any) -> Any:
            examples = cupy.arange(len(labels))
            shifted = logits - cupy.max(logits, axis=1, keepdims=True)
            exponentials = cupy.exp(shifted)
            sums = cupy.sum(exponentials, axis=1, keepdims=True)
            value = cupy.mean(cupy.log(sums[:, 0]) - shifted[examples, labels])
            exponentials /= sums
            exponentials[examples, labels] -= 1
            exponentials /= len(labels)
            return value, exponentials

        return step
