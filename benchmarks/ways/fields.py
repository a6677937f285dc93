"""Fields on grids: what is near is added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ways.library import Program

if TYPE_CHECKING:
    from benchmarks.ways.library import Function, Library

RNG = np.random.default_rng(0)
STEPS = 100


def heat_by_roll(lib: Library) -> Function:
    def loss(u: Any) -> Any:
        def step(u: Any, _: Any) -> Any:
            return u + 0.1 * (lib.np.roll(u, 1) - 2 * u + lib.np.roll(u, -1)), None

        return lib.np.sum(lib.scan(step, u, None, length=STEPS)[0] ** 2)

    return loss


def heat_by_index(lib: Library) -> Function:
    def loss(u: Any) -> Any:
        right = np.arange(1, len(u) + 1) % len(u)
        left = np.arange(-1, len(u) - 1) % len(u)

        def step(u: Any, _: Any) -> Any:
            return u + 0.1 * (u[left] - 2 * u + u[right]), None

        return lib.np.sum(lib.scan(step, u, None, length=STEPS)[0] ** 2)

    return loss


def wave_by_roll(lib: Library) -> Function:
    def loss(u: Any) -> Any:
        roll = lib.np.roll

        def step(pair: Any, _: Any) -> Any:
            before, now = pair
            around = roll(now, 1, 0) + roll(now, -1, 0) + roll(now, 1, 1) + roll(now, -1, 1) - 4 * now
            return (now, 2 * now - before + 0.1 * around), None

        return lib.np.sum(lib.scan(step, (u, 0.9 * u), None, length=20)[0][1] ** 2)

    return loss


def wave_by_concatenation(lib: Library) -> Function:
    def turned(x: Any, axis: int, by: int) -> Any:
        first, last = (x[-1:], x[:-1]) if by == 1 else (x[1:], x[:1])
        if axis == 1:
            first, last = (x[:, -1:], x[:, :-1]) if by == 1 else (x[:, 1:], x[:, :1])
        return lib.np.concatenate([first, last], axis=axis)

    def loss(u: Any) -> Any:
        def step(pair: Any, _: Any) -> Any:
            before, now = pair
            around = turned(now, 0, 1) + turned(now, 0, -1) + turned(now, 1, 1) + turned(now, 1, -1) - 4 * now
            return (now, 2 * now - before + 0.1 * around), None

        return lib.np.sum(lib.scan(step, (u, 0.9 * u), None, length=20)[0][1] ** 2)

    return loss


def variation_by_slices(lib: Library) -> Function:
    def loss(u: Any) -> Any:
        across, down = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
        return lib.np.sum(lib.np.sqrt(across**2 + down**2 + 1e-6))

    return loss


def variation_by_diff(lib: Library) -> Function:
    def loss(u: Any) -> Any:
        across, down = lib.np.diff(u, axis=0)[:, :-1], lib.np.diff(u, axis=1)[:-1]
        return lib.np.sum(lib.np.sqrt(across * across + down * down + 1e-6))

    return loss


def filtered_by_sum(lib: Library) -> Function:
    def loss(weights: Any, u: Any) -> Any:
        n = len(u) - 4
        found = sum(weights[i, j] * u[i : i + n, j : j + n] for i in range(5) for j in range(5))
        return lib.np.sum(lib.np.tanh(found))

    return loss


def filtered_by_stack(lib: Library) -> Function:
    def loss(weights: Any, u: Any) -> Any:
        n = len(u) - 4
        windows = lib.np.stack([u[i : i + n, j : j + n] for i in range(5) for j in range(5)])
        return lib.np.sum(lib.np.tanh(lib.np.tensordot(weights.reshape(25), windows, axes=1)))

    return loss


PROGRAMS = {
    "heat in a ring": Program((RNG.normal(size=500),), {"roll": heat_by_roll, "index arrays": heat_by_index}),
    "waves on a torus": Program(
        (RNG.normal(size=(64, 64)),), {"roll": wave_by_roll, "slices, concatenate": wave_by_concatenation}
    ),
    "total variation": Program(
        (RNG.normal(size=(512, 512)),), {"slices": variation_by_slices, "np.diff": variation_by_diff}
    ),
    "5 x 5 filter": Program(
        (RNG.normal(size=(5, 5)), RNG.normal(size=(128, 128))), {"sum": filtered_by_sum, "stack": filtered_by_stack}
    ),
}
