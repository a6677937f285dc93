"""Hooks that watch functions."""

from autodiff.chainer.function_hooks.cuda_profile import CUDAProfileHook
from autodiff.chainer.function_hooks.cupy_memory_profile import CupyMemoryProfileHook
from autodiff.chainer.function_hooks.debug_print import PrintHook
from autodiff.chainer.function_hooks.timer import TimerHook

__all__ = ["CUDAProfileHook", "CupyMemoryProfileHook", "PrintHook", "TimerHook"]
