"""Functions as ranges in NVIDIA's profiler."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backends import cuda
from autodiff.facade.graph.observing import FunctionHook


class CUDAProfileHook(FunctionHook):
    """Marks functions as ranges of NVTX, which NVIDIA's profilers show: ``exp.forward``, ``exp.backward``.

    Raises:
        RuntimeError: without CuPy.
    """

    name = "CUDAProfileHook"

    def __init__(self) -> None:
        cuda.check_cuda_available()
        self._ranges = cuda.cupy.cuda.nvtx

    def forward_preprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._ranges.RangePush(f"{function.label}.forward")

    def forward_postprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._ranges.RangePop()

    def backward_preprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._ranges.RangePush(f"{function.label}.backward")

    def backward_postprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._ranges.RangePop()
