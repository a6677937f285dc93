"""Gaussian process regression, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import jit, value_and_grad


def covariance(a, b, log):
    """The covariance of the process at two sets of points; `log` holds logarithms, so that nothing becomes negative."""
    distance = (a[:, None] - b) / jnp.exp(log["length"])
    return jnp.exp(2 * log["height"] - 0.5 * distance**2)


def cost(log, x, y):
    """The negative logarithm of the marginal likelihood, for each point."""
    noisy = covariance(x, x, log) + jnp.exp(2 * log["noise"]) * jnp.eye(len(x))
    factor = jnp.linalg.cholesky(noisy)
    white = jnp.linalg.solve(factor, y)
    return (0.5 * jnp.sum(white**2) + jnp.sum(jnp.log(jnp.diag(factor)))) / len(x) + 0.5 * jnp.log(2 * jnp.pi)


def posterior(log, x, y, new):
    """The mean and standard deviation of the process at new points, given the data."""
    noisy = covariance(x, x, log) + jnp.exp(2 * log["noise"]) * jnp.eye(len(x))
    across = covariance(x, new, log)
    solved = jnp.linalg.solve(noisy, across)
    variance = jnp.exp(2 * log["height"]) - jnp.sum(across * solved, axis=0)
    return solved.T @ y, jnp.sqrt(variance)


def main(steps=300):
    generator = np.random.default_rng(1)
    x = np.sort(generator.uniform(0, 10, 40))
    y = np.sin(x) + 0.5 * np.sin(3 * x) + generator.normal(0, 0.2, 40)
    log = {"length": 1.0, "height": 0.0, "noise": 0.0}
    downhill = jit(value_and_grad(cost))
    costs = []
    for _ in range(steps):
        value, gradient = downhill(log, x, y)
        log = {name: log[name] - 0.2 * gradient[name] for name in log}
        costs.append(value)
    new = np.linspace(0, 10, 300)
    mean, deviation = posterior(log, x, y, new)
    return {"x": x, "y": y, "new": new, "mean": mean, "deviation": deviation, "costs": costs, "log": log}
