"""Hamiltonian Monte Carlo, by JAX."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, jit
from jax.lax import fori_loop, scan


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
    gained = energy(new_q) + 0.5 * jnp.sum(new_p**2) - energy(q) - 0.5 * jnp.sum(kick**2)
    accepted = jnp.log(chance) < -gained
    q = jnp.where(accepted, new_q, q)
    return q, (q, accepted)


@partial(jit, static_argnums=2)
def chain(start, key, count):
    """So many samples, and how many were accepted."""
    of_kicks, of_chances = jax.random.split(key)
    kicks = jax.random.normal(of_kicks, (count, len(start)))
    chances = jax.random.uniform(of_chances, (count,))
    _, (samples, accepted) = scan(transition, start, (kicks, chances))
    return samples, jnp.mean(accepted)


def main(samples=4000):
    found, rate = chain(np.zeros(2), jax.random.key(0), samples)
    return {"samples": found, "rate": rate}
