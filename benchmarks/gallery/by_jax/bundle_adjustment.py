"""Bundle adjustment, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import jacfwd, jit, vmap


def rotated(turn, x):
    """A point turned about the axis `turn` by its length, by the formula of Rodrigues."""
    angle = jnp.sqrt(jnp.sum(turn**2) + 1e-24)
    axis = turn / angle
    return x * jnp.cos(angle) + jnp.cross(axis, x) * jnp.sin(angle) + axis * (axis @ x) * (1 - jnp.cos(angle))


def seen(camera, x):
    """Where a camera (turn, shift, focal length) sees a point."""
    x = rotated(camera[:3], x) + camera[3:6]
    return camera[6] * x[:2] / x[2]


def pictures(cameras, points):
    """What all cameras see of all points."""
    return vmap(vmap(seen, in_axes=(None, 0)), in_axes=(0, None))(cameras, points)


def fit(cameras, points, data, steps):
    """Levenberg and Marquardt over cameras and points."""
    split = cameras.size

    def missed(p):
        return (pictures(p[:split].reshape(cameras.shape), p[split:].reshape(points.shape)) - data).ravel()

    both = jit(lambda p: (missed(p), jacfwd(missed)(p)))
    p, damping, costs = np.concatenate([cameras.ravel(), points.ravel()]), 1e-2, []
    residual, slope = both(p)
    for _ in range(steps):
        tried = p - np.linalg.solve(slope.T @ slope + damping * np.eye(len(p)), slope.T @ residual)
        new = both(tried)
        better = np.sum(new[0] ** 2) < np.sum(residual**2)
        if better:
            p, (residual, slope) = tried, new
        damping *= 0.2 if better else 5.0
        costs.append(np.sqrt(np.mean(residual**2)))
    return p[:split].reshape(cameras.shape), p[split:].reshape(points.shape), costs


def main(steps=25, count=24, views=5):
    generator = np.random.default_rng(0)
    points = generator.uniform(-1, 1, (count, 3))
    turns = np.linspace(-0.7, 0.7, views)[:, None] * np.array([0.2, 1.0, 0.1])
    cameras = np.concatenate([turns, np.tile([0.0, 0.0, 5.0, 1.0], (views, 1))], axis=1)
    data = pictures(cameras, points) + generator.normal(0, 1e-3, (views, count, 2))
    start = cameras + generator.normal(0, 0.05, cameras.shape), points + generator.normal(0, 0.3, points.shape)
    found_cameras, found, costs = fit(*start, data, steps)
    return {"data": data, "first": pictures(*start), "last": pictures(found_cameras, found), "costs": costs}
