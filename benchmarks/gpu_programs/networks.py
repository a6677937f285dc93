"""Networks whose programs are those of the table for CPUs: a small convolutional one, and a transformer block."""

from __future__ import annotations

import math

from benchmarks.compiled_programs.convolutional import LENET, VGG, Convolutional, shapes
from benchmarks.compiled_programs.transformer import Transformer
from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow

TINY = ((8, 1), (("conv", 2, 3, 1), ("pool",), ("dense", 5)))


class DeviceConvolutional(DeviceProgram, Convolutional):
    """Loss, and the parameters after one step of plain gradient descent."""

    rows = (  # type: ignore[assignment]
        DeviceRow("LeNet 28x28 batch 64", (64, *LENET), (2, *TINY)),
        DeviceRow("VGG block 32x32 batch 32", (32, *VGG), (2, *TINY)),
    )

    def operations(self, row: DeviceRow) -> int:
        """Each weight meets every place of the images that its layer gives: forward, and twice backward."""
        batch, (size, channels), layers = row.parameters
        total, sizes = 0, [size]
        for kind, *numbers in layers:
            size = size // 2 if kind == "pool" else size + 2 * numbers[2] - numbers[1] + 1 if kind == "conv" else 1
            sizes += [] if kind == "pool" else [size]
        for shape, places in zip(shapes(sizes[0], channels, layers), (*sizes[1:], 1)):
            total += math.prod(shape) * places**2
        return 3 * 2 * batch * total


class DeviceTransformer(DeviceProgram, Transformer):
    """Value and gradients of attention and a feed-forward layer, both behind a layer normalisation."""

    rows = (  # type: ignore[assignment]
        DeviceRow("8x128x256, 4 heads", (8, 128, 256, 4), (2, 4, 8, 2)),
        DeviceRow("16x512x768, 12 heads", (16, 512, 768, 12), (2, 3, 4, 1)),
        DeviceRow("16x512x768, 12 heads, TF32", (16, 512, 768, 12), (2, 3, 4, 1), precision="TF32"),
        DeviceRow("16x512x768, 12 heads, bfloat16", (16, 512, 768, 12), (2, 3, 4, 1), precision="bfloat16"),
    )

    def operations(self, row: DeviceRow) -> int:
        """Twelve squares of the width for each token, and two products of attention: forward, and twice backward."""
        batch, length, width, _ = row.parameters
        return 3 * 2 * batch * length * (12 * width**2 + 2 * length * width)
