"""Tomography, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import jit, value_and_grad


def phantom(n):
    """What is in the box: ellipses in one another."""
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
    picture = np.zeros((n, n))
    for cx, cy, a, b, value in [(0, 0, 0.85, 0.7, 0.5), (0.25, 0.1, 0.25, 0.35, 0.5), (-0.35, -0.1, 0.2, 0.4, -0.3)]:
        picture[((x - cx) / a) ** 2 + ((y - cy) / b) ** 2 < 1] += value
    return picture


def rays(n, directions):
    """For each direction, ray and point of the ray: the four pixels around it, and their weights."""
    angle = np.linspace(0, np.pi, directions, endpoint=False)[:, None, None]
    across, along = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    x = (across * np.cos(angle) - along * np.sin(angle) + 1) / 2 * (n - 1)
    y = (across * np.sin(angle) + along * np.cos(angle) + 1) / 2 * (n - 1)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    inside = (left >= 0) & (left < n - 1) & (top >= 0) & (top < n - 1)
    corner = np.where(inside, top * n + left, 0)
    right, down = x - left, y - top
    weights = [(1 - right) * (1 - down), right * (1 - down), (1 - right) * down, right * down]
    return [corner + step for step in (0, 1, n, n + 1)], [np.where(inside, w, 0.0) for w in weights]


def shadows(picture, pixels, weights):
    """The sum of the picture along each ray."""
    flat = picture.ravel()
    return sum(jnp.sum(w * flat[p], axis=-1) for p, w in zip(pixels, weights)) / len(picture)


def cost(picture, seen, pixels, weights, flatness):
    down, right = jnp.diff(picture, axis=0)[:, :-1], jnp.diff(picture, axis=1)[:-1]
    variation = jnp.sum(jnp.sqrt(down**2 + right**2 + 1e-6))
    return 0.5 * jnp.sum((shadows(picture, pixels, weights) - seen) ** 2) + flatness * variation


def main(steps=300, n=48, directions=24):
    truth, (pixels, weights) = phantom(n), rays(n, directions)
    clean = shadows(truth, pixels, weights)
    seen = clean + np.random.default_rng(0).normal(0, 0.005, clean.shape)
    downhill = jit(value_and_grad(lambda picture: cost(picture, seen, pixels, weights, 1e-3)))
    picture, ahead, costs = np.zeros((n, n)), np.zeros((n, n)), []
    for k in range(steps):  # Nesterov's accelerated descent
        value, gradient = downhill(ahead)
        stepped = ahead - 1.2 * n / directions * gradient
        picture, ahead = stepped, stepped + k / (k + 3) * (stepped - picture)
        costs.append(value)
    return {"truth": truth, "shadows": seen, "picture": picture, "costs": costs}
