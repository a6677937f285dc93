"""A Kalman filter that is tuned, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import hessian, jit, value_and_grad
from jax.lax import scan

MOVE = np.array([[1.0, 0.1], [0.0, 1.0]])
DRIFT = np.array([[0.1**3 / 3, 0.1**2 / 2], [0.1**2 / 2, 0.1]])


def filtered(log, data):
    """The states that the filter finds, their variances, and the log likelihood; `log` is that of drift and noise."""
    drift, noise = jnp.exp(2 * log[0]) * DRIFT, jnp.exp(2 * log[1])

    def step(carry, seen):
        mean, covariance = carry
        mean, covariance = MOVE @ mean, MOVE @ covariance @ MOVE.T + drift
        spread = covariance[0, 0] + noise
        surprise = seen - mean[0]
        gain = covariance[:, 0] / spread
        mean = mean + gain * surprise
        covariance = covariance - gain[:, None] * covariance[0]
        likelihood = -0.5 * (surprise**2 / spread + jnp.log(2 * jnp.pi * spread))
        return (mean, covariance), (mean, covariance[0, 0], likelihood)

    _, (means, variances, likelihoods) = scan(step, (jnp.zeros(2), 10.0 * jnp.eye(2)), data)
    return means, variances, jnp.sum(likelihoods)


def cost(log, data):
    return -filtered(log, data)[2] / len(data)


def simulated(generator, count, drift, noise):
    """Places and what was measured of them."""
    state, states = np.zeros(2), []
    for _ in range(count):
        state = MOVE @ state + generator.multivariate_normal(np.zeros(2), drift**2 * DRIFT)
        states.append(state)
    states = np.array(states)
    return states, states[:, 0] + generator.normal(0, noise, count)


def main(count=300, steps=20):
    states, data = simulated(np.random.default_rng(5), count, 0.5, 0.4)
    downhill, curvature = jit(value_and_grad(cost)), jit(hessian(cost))
    log, costs = np.array([-1.0, 1.0]), []
    for _ in range(steps):  # Newton's method, uphill nowhere
        value, gradient = downhill(log, data)
        size, axes = np.linalg.eigh(curvature(log, data))
        log = log - np.clip(axes @ ((axes.T @ gradient) / np.maximum(np.abs(size), 1e-3)), -0.5, 0.5)
        costs.append(value)
    path = filtered(log, data)[:2]
    return {"states": states, "data": data, "path": path, "found": np.exp(log), "costs": costs}
