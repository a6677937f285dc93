"""Molecular dynamics, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jit
from jax.lax import scan


def potential(x, box):
    """The energy of all pairs, each with the nearest image of the other, cut off and shifted at 2.5."""
    apart = x[:, None] - x
    apart = apart - box * jnp.floor(apart / box + 0.5)
    other = ~jnp.eye(len(x), dtype=bool)
    squared = jnp.where(other, jnp.sum(apart**2, axis=-1), 1.0)
    sixth = squared**-3
    shift = 2.5**-12 - 2.5**-6
    return 2.0 * jnp.sum(jnp.where(other & (squared < 6.25), sixth**2 - sixth - shift, 0.0))


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
        return (x, v, f), (x, potential(x, box), 0.5 * jnp.sum(v**2))

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
