"""Windows that slide over the last axes, and what is built of them: convolution and pooling."""

from autodiff.ops.images.convolution import convolve_nd, transposed_convolve_nd
from autodiff.ops.images.overlap import overlap_add, windows
from autodiff.ops.images.pooling import average_pooling, max_pooling
from autodiff.ops.images.sliding import (
    first_positions,
    lay_in_windows,
    max_windows,
    pick_from_windows,
    spread_windows,
    sum_windows,
)

__all__ = [
    "average_pooling",
    "convolve_nd",
    "first_positions",
    "lay_in_windows",
    "max_pooling",
    "max_windows",
    "overlap_add",
    "pick_from_windows",
    "spread_windows",
    "sum_windows",
    "transposed_convolve_nd",
    "windows",
]
