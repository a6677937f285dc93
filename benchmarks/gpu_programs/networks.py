"""Networks whose programs are those of the table for CPUs: a small convolutional one, and a transformer block."""

from __future__ import annotations

from benchmarks.compiled_programs.convolutional import LENET, Convolutional
from benchmarks.compiled_programs.transformer import Transformer
from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow

TINY = ((8, 1), (("conv", 2, 3, 1), ("pool",), ("dense", 5)))


class DeviceConvolutional(DeviceProgram, Convolutional):
    """Loss, and the parameters after one step of plain gradient descent."""

    rows = (DeviceRow("LeNet 28x28 batch 64", (64, *LENET), (2, *TINY)),)  # type: ignore[assignment]


class DeviceTransformer(DeviceProgram, Transformer):
    """Value and gradients of attention and a feed-forward layer, both behind a layer normalisation."""

    rows = (  # type: ignore[assignment]
        DeviceRow("8x128x256, 4 heads", (8, 128, 256, 4), (2, 4, 8, 2)),
        DeviceRow("16x512x768, 12 heads", (16, 512, 768, 12), (2, 3, 4, 1)),
    )
