"""What goes on step by step: filters, recurrent networks, differential equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ways.library import Program, in_python

if TYPE_CHECKING:
    from benchmarks.ways.library import Function, Library

RNG = np.random.default_rng(2)
STATES, OBSERVED, LENGTH = 4, 2, 60
MOTION, NOISE = np.eye(STATES) + 0.1 * RNG.normal(size=(STATES, STATES)), np.eye(STATES)
SIGHT, BLUR = RNG.normal(size=(OBSERVED, STATES)), np.eye(OBSERVED)


def filtered(lib: Library, gain_of: Any) -> Function:
    def loss(seen: Any) -> Any:
        def step(state: Any, y: Any) -> Any:
            mean, spread = state
            mean, spread = MOTION @ mean, MOTION @ spread @ MOTION.T + NOISE
            surprise, cover = y - SIGHT @ mean, SIGHT @ spread @ SIGHT.T + BLUR
            gain = gain_of(spread @ SIGHT.T, cover)
            return (mean + gain @ surprise, spread - gain @ SIGHT @ spread), lib.np.sum(surprise**2)

        start = lib.np.zeros(STATES), lib.np.eye(STATES)
        return lib.np.sum(lib.scan(step, start, seen)[1])

    return loss


def kalman_by_inverse(lib: Library) -> Function:
    return filtered(lib, lambda cross, cover: cross @ lib.np.linalg.inv(cover))


def kalman_by_solve(lib: Library) -> Function:
    return filtered(lib, lambda cross, cover: lib.np.linalg.solve(cover, cross.T).T)


def network_from_left(lib: Library) -> Function:
    def loss(weights: Any, inputs: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = lib.np.tanh(weights @ h + x)
            return h, lib.np.sum(h**2)

        return lib.np.sum(lib.scan(step, lib.np.zeros(len(weights)), inputs)[1])

    return loss


def network_from_right(lib: Library) -> Function:
    def loss(weights: Any, inputs: Any) -> Any:
        turned = weights.T

        def step(h: Any, x: Any) -> Any:
            h = lib.np.tanh(lib.np.einsum("i,ij->j", h, turned) + x)
            return h, lib.np.dot(h, h)

        return lib.np.sum(lib.scan(step, lib.np.zeros(len(weights)), inputs)[1])

    return loss


def hidden_by_logarithms(lib: Library) -> Function:
    def loss(chances: Any, seen: Any) -> Any:
        moves = chances - lib.special.logsumexp(chances, axis=1, keepdims=True)

        def step(alpha: Any, own: Any) -> Any:
            return lib.special.logsumexp(alpha[:, None] + moves, axis=0) + own, None

        return lib.special.logsumexp(lib.scan(step, seen[0], seen[1:])[0])

    return loss


def hidden_by_scaling(lib: Library) -> Function:
    def loss(chances: Any, seen: Any) -> Any:
        grown = lib.np.exp(chances - lib.np.max(chances, axis=1, keepdims=True))
        moves = grown / lib.np.sum(grown, axis=1, keepdims=True)

        def step(state: Any, own: Any) -> Any:
            alpha, total = state
            alpha = (alpha @ moves) * lib.np.exp(own)
            size = lib.np.sum(alpha)
            return (alpha / size, total + lib.np.log(size)), None

        first = lib.np.exp(seen[0])
        size = lib.np.sum(first)
        return lib.scan(step, (first / size, lib.np.log(size)), seen[1:])[0][1]

    return loss


def slope(lib: Library, state: Any, rates: Any) -> Any:
    """Predators and prey."""
    prey, hunters = state
    return rates[0] * prey - rates[1] * prey * hunters, rates[2] * prey * hunters - rates[3] * hunters


def runge_kutta_of_arrays(lib: Library) -> Function:
    def loss(rates: Any) -> Any:
        def f(state: Any) -> Any:
            return lib.np.stack(slope(lib, state, rates))

        def step(y: Any, _: Any) -> Any:
            a = f(y)
            b = f(y + 0.05 * a)
            c = f(y + 0.05 * b)
            d = f(y + 0.1 * c)
            y = y + 0.1 / 6 * (a + 2 * b + 2 * c + d)
            return y, lib.np.sum(y**2)

        return lib.np.sum(lib.scan(step, lib.np.ones(2), None, length=200)[1])

    return loss


def runge_kutta_of_numbers(lib: Library) -> Function:
    def loss(rates: Any) -> Any:
        def moved(y: Any, by: float, k: Any) -> Any:
            return y[0] + by * k[0], y[1] + by * k[1]

        def step(y: Any, _: Any) -> Any:
            a = slope(lib, y, rates)
            b = slope(lib, moved(y, 0.05, a), rates)
            c = slope(lib, moved(y, 0.05, b), rates)
            d = slope(lib, moved(y, 0.1, c), rates)
            y = tuple(y[k] + 0.1 / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]) for k in range(2))
            return y, y[0] * y[0] + y[1] * y[1]

        return lib.np.sum(lib.scan(step, (1.0, 1.0), None, length=200)[1])

    return loss


PROGRAMS = {
    "Kalman filter": Program(
        (RNG.normal(size=(LENGTH, OBSERVED)),),
        {
            "inv": kalman_by_inverse,
            "solve": kalman_by_solve,
            "solve, Python loop": lambda lib: kalman_by_solve(in_python(lib)),
        },
    ),
    "recurrent network": Program(
        (RNG.normal(size=(24, 24)) / 5, RNG.normal(size=(LENGTH, 24))),
        {
            "W @ h": network_from_left,
            "einsum": network_from_right,
            "W @ h, Python loop": lambda lib: network_from_left(in_python(lib)),
        },
    ),
    "hidden states": Program(
        (RNG.normal(size=(8, 8)), RNG.normal(size=(200, 8))),
        {
            "logsumexp": hidden_by_logarithms,
            "scaling": hidden_by_scaling,
            "scaling, Python loop": lambda lib: hidden_by_scaling(in_python(lib)),
        },
    ),
    "predators and prey": Program(
        (np.array([1.1, 0.4, 0.1, 0.4]),),
        {
            "arrays": runge_kutta_of_arrays,
            "numbers": runge_kutta_of_numbers,
            "arrays, Python loop": lambda lib: runge_kutta_of_arrays(in_python(lib)),
        },
        ours_alone=("arrays, Python loop",),
    ),
}
