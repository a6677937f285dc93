"""Molecular dynamics.

Atoms that attract and repel each other by the potential of Lennard and Jones, in a box whose sides are joined. The
forces are minus the gradient of the energy, so the sum of both energies stays what it was.
"""

import numpy as np

from autodiff import grad, jit, scan


def potential(x, box):
    """The energy of all pairs, each with the nearest image of the other, cut off and shifted at 2.5."""
    apart = x[:, None] - x
    apart = apart - box * np.floor(apart / box + 0.5)
    other = ~np.eye(len(x), dtype=bool)
    squared = np.where(other, np.sum(apart**2, axis=-1), 1.0)
    sixth = squared**-3
    shift = 2.5**-12 - 2.5**-6
    return 2.0 * np.sum(np.where(other & (squared < 6.25), sixth**2 - sixth - shift, 0.0))


def force(x, box):
    return -grad(potential)(x, box)


@jit
def simulate(x, v, box, times):
    """Positions and energies at each time, by the steps of Verlet."""

    def step(state, time):
        x, v, f = state
        v = v + 0.5 * DT * f
        x = x + DT * v
        f = force(x, box)
        v = v + 0.5 * DT * f
        return (x, v, f), (x, potential(x, box), 0.5 * np.sum(v**2))

    return scan(step, (x, v, force(x, box)), times)[1]


DT = 0.004


def main(side=6, steps=2000):
    generator = np.random.default_rng(0)
    box = side * 1.2
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2) * 1.2
    v = generator.normal(0, 1, grid.shape)
    v -= v.mean(axis=0)
    positions, potentials, kinetic = simulate(grid, v, box, np.arange(steps) * DT)
    return {"x": positions, "potential": potentials, "kinetic": kinetic, "box": box}


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    for path in (found["x"][-400:] % found["box"]).transpose(1, 0, 2):
        left.plot(*path.T, ",", color="0.6")
    left.plot(*(found["x"][-1] % found["box"]).T, "o", markersize=9)
    left.set(aspect="equal", title="atoms, and where they were")
    times = np.arange(len(found["kinetic"])) * DT
    right.plot(times, found["kinetic"], label="kinetic")
    right.plot(times, found["potential"], label="potential")
    right.plot(times, found["kinetic"] + found["potential"], "k", label="sum")
    right.legend(fontsize="small")
    right.set(xlabel="time", ylabel="energy")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
