"""Random numbers of arrays on a GPU, by the kernels that programs use."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.random import random_kernel
from autodiff.backends.cupy.runtime.alone import lone_call


@functools.lru_cache(maxsize=1024)
def call_of(distribution: str, shape: tuple[int, ...], dtype: np.dtype[Any], chance: float) -> Callable[..., Any]:
    """The kernel as a function of a state."""
    return lone_call(random_kernel(distribution, shape, dtype, chance))


def random_numbers(state: Any, *, distribution: str, shape: tuple[int, ...], dtype: Any, chance: float) -> Any:
    """Random numbers and the next state; with leading axes each state has a launch of its own."""
    cupy = sys.modules["cupy"]
    call = call_of(distribution, tuple(shape), np.dtype(dtype), float(chance))
    if state.ndim == 1:
        return call(cupy.ascontiguousarray(state))
    lead = state.shape[:-1]
    with state.device:
        numbers, behind = cupy.empty((*lead, *shape), dtype), cupy.empty(state.shape, state.dtype)
        for place in np.ndindex(*lead):
            numbers[place], behind[place] = call(cupy.ascontiguousarray(state[place]))
    return numbers, behind


EVALUATORS: dict[str, Callable[..., Any]] = {"random_numbers": random_numbers}
