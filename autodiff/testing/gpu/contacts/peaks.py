"""What this device does at most, measured on it: bytes copied, and numbers multiplied by cuBLAS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.gpu import require
from autodiff.testing.gpu.contacts.library import brain_float
from autodiff.testing.gpu.item import Given, Item, Said

ROUNDS, CALLS = 7, 5
LEVELS = {"float32": "highest", "TF32": "high"}


def seconds(call: Callable[[], Any]) -> float:
    """The median over rounds, by events of the device."""
    cuda = require().cuda
    call()
    rounds = []
    for _ in range(ROUNDS):
        start, end = cuda.Event(), cuda.Event()
        start.record()
        for _ in range(CALLS):
            call()
        end.record()
        end.synchronize()
        rounds.append(cuda.get_elapsed_time(start, end) / 1e3 / CALLS)
    return float(median(rounds))


def copied(given: Given) -> Said:
    """Bytes read and written by a copy within the device."""
    cupy, size = require(), given.size(1 << 28, 1 << 16)
    source, target = (cupy.zeros(size, np.float32) for _ in range(2))
    return {"bytes per second": 2 * source.nbytes / max(seconds(lambda: cupy.copyto(target, source)), 1e-9)}


def multiplied(kind: str, given: Given) -> Said:
    """Operations of a square product of this precision, two a pair of factors, which are random: zeros are faster."""
    cupy, size = require(), given.size(8192, 64)
    dtype: Any = np.float32 if kind in LEVELS else brain_float() if kind == "bfloat16" else np.dtype(kind)
    x, y = (cupy.random.standard_normal((size, size)).astype(np.float32).astype(dtype) for _ in range(2))
    product = autodiff.jit(lambda x, y: x @ y)
    try:
        autodiff.set_matmul_precision(LEVELS.get(kind, "highest"))
        took = seconds(lambda: product(x, y))
    finally:
        autodiff.set_matmul_precision("highest")
    return {"operations per second": 2 * size**3 / max(took, 1e-9)}


def launched(given: Given) -> Said:
    """Microseconds of the host for one launch of a small kernel, called as jit calls it."""
    twice = autodiff.jit(lambda x: x * 2)
    x = require().zeros(8, np.float32)
    return {"microseconds per call": 1e6 * seconds(lambda: twice(x))}


ITEMS: dict[str, Item] = {
    "copy": copied,
    **{kind: partial(multiplied, kind) for kind in ("float32", "TF32", "bfloat16", "float16", "float64")},
    "one small kernel": launched,
}
