"""Hamiltonian Monte Carlo.

Samples of a banana-shaped distribution. A step throws a ball and follows it downhill, by the gradient of the energy.
The whole chain, random numbers and loops included, is one compiled program.
"""

from functools import partial

import numpy as np

import autodiff
from autodiff import fori_loop, grad, jit, scan


def energy(q):
    """Minus the logarithm of the density: a valley along the parabola y = x**2."""
    x, y = q[0], q[1]
    return 0.5 * x**2 + 4.0 * (y - x**2) ** 2


def leapfrog(q, p, size, steps):
    """The ball after some steps of half a kick, a drift, and half a kick."""

    def step(_, state):
        q, p = state
        p = p - 0.5 * size * grad(energy)(q)
        q = q + size * p
        return q, p - 0.5 * size * grad(energy)(q)

    return fori_loop(0, steps, step, (q, p))


def transition(q, drawn):
    """One sample after the other: it stays where it is if the energy was not conserved well enough."""
    kick, chance = drawn
    new_q, new_p = leapfrog(q, kick, 0.15, 15)
    gained = energy(new_q) + 0.5 * np.sum(new_p**2) - energy(q) - 0.5 * np.sum(kick**2)
    accepted = np.log(chance) < -gained
    q = np.where(accepted, new_q, q)
    return q, (q, accepted)


@partial(jit, static_argnums=2)
def chain(start, state, count):
    """So many samples, and how many were accepted. Numbers are drawn first, so that the loop is one kernel."""
    kicks, state = autodiff.random.normal(state, (count, len(start)))
    chances, state = autodiff.random.uniform(state, (count,))
    _, (samples, accepted) = scan(transition, start, (kicks, chances))
    return samples, np.mean(accepted)


def main(samples=4000):
    found, rate = chain(np.zeros(2), autodiff.random.state(0), samples)
    return {"samples": found, "rate": rate}


def draw(figure, found):
    axes = figure.subplots()
    x, y = np.meshgrid(np.linspace(-3.5, 3.5, 200), np.linspace(-1.5, 9, 200))
    axes.plot(*found["samples"].T, ".", color="0.5", markersize=2)
    axes.contour(x, y, energy(np.stack([x, y])), levels=[0.1, 0.5, 1, 2, 4, 8], linewidths=1)
    axes.set(xlabel="x", ylabel="y", title=f"{len(found['samples'])} samples, {found['rate']:.0%} accepted")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
