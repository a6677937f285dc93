"""An inverse problem of heat, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import jacfwd, jit
from jax.lax import scan

CELLS, STEPS, PARTS = 40, 4000, 8


def conductivity(log_parts):
    """One number for each cell, from the logarithms of a few parts of the rod."""
    return jnp.repeat(jnp.exp(log_parts), CELLS // PARTS)


def measured(log_parts):
    """What five thermometers see in the course of time."""
    k = conductivity(log_parts)
    between = 2 * k[1:] * k[:-1] / (k[1:] + k[:-1])

    def step(u, _):
        flow = between * (u[1:] - u[:-1])
        hot, cold = k[:1] * (1.0 - u[:1]), k[-1:] * (0.0 - u[-1:])
        u = u + 0.2 * (jnp.concatenate([flow, cold]) + jnp.concatenate([hot, -flow]))
        return u, u[4::8]

    return scan(step, jnp.zeros(CELLS), None, length=STEPS)[1][::50]


def fit(data, steps):
    """Steps of Levenberg and Marquardt, from a rod that is all alike."""
    both = jit(lambda p: (measured(p) - data, jacfwd(measured)(p)))
    p, damping, costs = np.full(PARTS, -0.5), 1.0, []
    missed, slope = both(p)
    for _ in range(steps):
        j, r = slope.reshape(-1, PARTS), missed.ravel()
        tried = p - np.clip(np.linalg.solve(j.T @ j + damping * np.eye(PARTS), j.T @ r), -0.3, 0.3)
        new_missed, new_slope = both(tried)
        if np.sum(new_missed**2) < np.sum(missed**2):
            p, missed, slope, damping = tried, new_missed, new_slope, damping / 5
        else:
            damping *= 5
        costs.append(np.sum(missed**2))
    return p, costs


def main(steps=25):
    generator = np.random.default_rng(0)
    truth = np.log([1.0, 1.0, 0.3, 0.3, 0.9, 0.6, 0.6, 1.0])
    data = measured(truth)
    data = data + generator.normal(0, 0.002, data.shape)
    found, costs = fit(data, steps)
    return {"truth": truth, "found": found, "data": data, "model": measured(found), "costs": costs}
