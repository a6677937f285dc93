"""Windows that slide over the last axes, and what is built of them: convolution and pooling."""

from autodiff.ops.convolution import convolve_nd, transposed_convolve_nd
from autodiff.ops.overlap import overlap_add, windows
from autodiff.ops.pooling import average_pooling, max_pooling

__all__ = ["average_pooling", "convolve_nd", "max_pooling", "overlap_add", "transposed_convolve_nd", "windows"]
