"""A robot arm, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import jacfwd, jit, vmap
from jax.lax import fori_loop, scan

LENGTHS = np.array([1.0, 0.8, 0.7, 0.5, 0.3])


def joints(angles):
    """The places of all joints; each angle is relative to the bone before."""
    direction = jnp.cumsum(angles)
    bones = LENGTHS[:, None] * jnp.stack([jnp.cos(direction), jnp.sin(direction)], axis=1)
    return jnp.cumsum(bones, axis=0)


def hand(angles):
    return joints(angles)[-1]


def reach(angles, target):
    """The angles nearby at which the hand is at the target."""

    def step(_, angles):
        slope = jacfwd(hand)(angles)
        missed = target - hand(angles)
        damped = slope @ slope.T + 1e-3 * jnp.eye(2)
        return angles + slope.T @ jnp.linalg.solve(damped, missed)

    return fori_loop(0, 10, step, angles)


@jit
def follow(angles, path):
    """The angles for each point of a path, one after the other."""

    def step(angles, target):
        angles = reach(angles, target)
        return angles, angles

    return scan(step, angles, path)[1]


def heart(n):
    t = np.linspace(0, 2 * np.pi, n)
    x = 16 * np.sin(t) ** 3
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return np.stack([1.6 + x / 20, 0.8 + y / 20], axis=1)


def main(points=80):
    path = heart(points)
    angles = follow(np.array([0.9, -0.6, -0.4, -0.3, -0.2]), path)
    reached = vmap(hand)(angles)
    return {"path": path, "angles": angles, "missed": np.linalg.norm(reached - path, axis=1)}
