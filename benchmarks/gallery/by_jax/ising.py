"""The Ising model, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jit, vmap


def rows_of_spins(width):
    """All rows of spins, each +1 or -1."""
    return 1.0 - 2.0 * (np.arange(2**width)[:, None] >> np.arange(width) & 1)


def log_partition(beta, field, width):
    """The logarithm of the partition function of an endless strip, for each spin, at inverse temperature beta."""
    spins = rows_of_spins(width)
    inside = jnp.sum(spins * jnp.roll(spins, 1, axis=1), axis=1)
    row = beta * (0.5 * inside + 0.5 * field * jnp.sum(spins, axis=1))
    between = beta * spins @ spins.T
    largest = 2 * beta * width  # factored out, so that nothing overflows
    transfer = jnp.exp(row[:, None] + between + row - largest)
    return (jnp.log(jnp.linalg.eigvalsh(transfer)[-1]) + largest) / width


def energy(beta, field, width):
    return -grad(log_partition)(beta, field, width)


def heat_capacity(beta, field, width):
    return beta**2 * grad(grad(log_partition))(beta, field, width)


def magnetisation(beta, field, width):
    return grad(log_partition, argnums=1)(beta, field, width) / beta


def over_temperatures(quantity, temperatures, field, width):
    return jit(vmap(lambda beta: quantity(beta, field, width)))(1 / temperatures)


CRITICAL = 2 / np.log(1 + np.sqrt(2))


def main(points=60, widths=(3, 4, 5, 6)):
    temperatures = np.linspace(1.2, 4.0, points)
    found = {"temperatures": temperatures, "widths": widths}
    for name, quantity, field in (
        ("energy", energy, 0.0),
        ("heat_capacity", heat_capacity, 0.0),
        ("magnetisation", magnetisation, 0.02),
    ):
        found[name] = [over_temperatures(quantity, temperatures, field, width) for width in widths]
    return found
