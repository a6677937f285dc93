"""Streams that read what another one writes: wrong where nobody waits, at least once in so many rounds."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.gpu import require
from autodiff.testing.gpu.contacts.first import normal
from autodiff.testing.gpu.item import Given, Item, Said, check

ROUNDS = 20


def busy(given: Given) -> Any:
    """Work that keeps the current stream busy for milliseconds; its result."""
    cupy = require()
    size = given.size(2048, 32)
    x = cupy.full((size, size), np.float32(1 / size))
    for _ in range(10):
        x = x @ x
    return x


def constants(given: Given) -> Said:
    """A constant that a program uploaded in one stream is read in another one at once."""
    cupy = require()
    table = normal(1 << 16)
    run = autodiff.jit(lambda x: x + table)
    x = cupy.zeros(1 << 16, np.float32)
    cupy.cuda.get_current_stream().synchronize()
    for number in range(ROUNDS):
        first, second = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
        with first:
            busy(given)
            run(x)
        with second:
            np.testing.assert_array_equal(run(x).get(), table, err_msg=f"round {number + 1}")
    return f"{ROUNDS} rounds"


def graphs_of_streams(given: Given) -> Said:
    """One program, replayed in two streams whose arguments differ."""
    cupy = require()

    def many(x: Any) -> Any:
        return sum(np.cumsum(np.sin(x + k), axis=0) for k in range(12))

    run = autodiff.jit(many)
    sizes = normal(64, 64), 2 * normal(64, 64)
    right = [many(each.astype(np.float64)) for each in sizes]
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in sizes]
    for number in range(ROUNDS):
        found = []
        for stream, each in zip(streams, sizes, strict=True):
            with stream:
                found.append(run(cupy.asarray(each)))
        for stream, own, needed in zip(streams, found, right, strict=True):
            with stream:
                error = np.max(np.abs(own.get() - needed)) / np.max(np.abs(needed))
                check(error <= 1e-3, f"round {number + 1}: off by {error:.3g}")
    return f"{ROUNDS} rounds"


def results_kept(given: Given) -> Said:
    """Results of a replayed program stay as they are while it runs again."""
    cupy = require()
    run = autodiff.jit(lambda x: tuple(np.sin(x * k) for k in range(12)))
    kept = [run(cupy.full(1000, np.float32(number))) for number in range(ROUNDS)]
    for number, results in enumerate(kept):
        for k, result in enumerate(results):
            np.testing.assert_allclose(result.get(), np.sin(np.float64(number * k)), atol=1e-5)
    return f"{ROUNDS} calls"


def threads(given: Given) -> Said:
    """Two threads call one program, each in a stream of its own."""
    cupy = require()
    run = autodiff.jit(lambda x, w: np.tanh(x @ w) * 2)
    w = normal(64, 64) / 8
    wrong: list[str] = []

    def work(number: int) -> None:
        with cupy.cuda.Device(), cupy.cuda.Stream(non_blocking=True):
            for call in range(ROUNDS):
                x = normal(64, 64) + np.float32(number + call)
                found = run(cupy.asarray(x), cupy.asarray(w)).get()
                if not np.allclose(found, 2 * np.tanh(x.astype(np.float64) @ w), atol=1e-4):
                    wrong.append(f"thread {number}, call {call + 1}")

    both = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    check(not wrong, ", ".join(wrong))
    return f"2 threads, {ROUNDS} calls each"


def freed_at_once(given: Given) -> Said:
    """Arguments die while their program may still run: their memory is handed out again behind it."""
    cupy = require()
    run = autodiff.jit(lambda x: np.sum(np.tanh(x), axis=1))
    for number in range(ROUNDS):
        busy(given)
        x = cupy.full((64, 1024), np.float32(number / ROUNDS))
        found = run(x)
        del x
        cupy.full((64, 1024), np.float32(np.nan))
        np.testing.assert_allclose(found.get(), 1024 * np.tanh(number / ROUNDS), rtol=1e-4, atol=1e-6)
    return f"{ROUNDS} rounds"


ITEMS: dict[str, Item] = {
    "arguments freed at once": freed_at_once,
    "results of replays are kept": results_kept,
    "constants in two streams": constants,
    "graphs in two streams": graphs_of_streams,
    "two threads": threads,
}
