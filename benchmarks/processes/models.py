"""Networks that everybody trains in data parallel, and how their steps are timed."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.convolutional import LENET, shapes

if TYPE_CHECKING:
    from collections.abc import Callable

RATE, STEPS_COMPARED = 0.01, 3
MODELS: dict[str, tuple[int, Any]] = {
    "MLP 784-1000-1000-10, batch 128": (128, ((28, 1), (("dense", 1000), ("dense", 1000)))),
    "LeNet 28x28, batch 128": (128, LENET),
}
"""The whole batch, and the layers as in `compiled_programs/convolutional.py`."""


def inputs(name: str) -> tuple[Any, Any, Any]:
    """Parameters, images and labels: the same in every process of everybody."""
    batch, ((size, channels), layers) = MODELS[name]
    rng = np.random.default_rng(0)

    def weights(shape: tuple[int, ...]) -> Any:
        return ((2 / np.prod(shape[1:])) ** 0.5 * rng.standard_normal(shape)).astype(np.float32)

    parameters = [[weights(shape), np.zeros(shape[0], np.float32)] for shape in shapes(size, channels, layers)]
    images = rng.standard_normal((batch, channels, size, size)).astype(np.float32)
    return parameters, images, rng.integers(0, 10, batch)


def seconds_of_rounds(ways: dict[str, Callable[[], Any]], together: Callable[[], Any], rounds: int) -> dict[str, float]:
    """The median seconds of a call of each, which take turns.

    Args:
        ways: what is called.
        together: lets all processes begin a turn at the same time.
        rounds: how many turns each has.
    """
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for way in ways.values():
        way()  # compiled, and connected
    for _ in range(rounds):
        for name, way in ways.items():
            together()
            begun = time.perf_counter()
            way()
            taken[name].append(time.perf_counter() - begun)
    return {name: median(found) for name, found in taken.items()}
