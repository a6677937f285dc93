"""Designing a lens, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jacfwd, jit, vmap
from jax.lax import fori_loop

GLASS, PLACES, FOCUS = 1.5, (0.0, 0.6), 4.0
HEIGHTS = np.linspace(-1.0, 1.0, 41)


def height_of(shape, y):
    """How far a surface stands out at height y: an even polynomial."""
    return shape[0] * y**2 + shape[1] * y**4 + shape[2] * y**6


slope_of = grad(height_of, argnums=1)


def refract(place, direction, at, shape, ratio):
    """Where a ray meets a surface, and its direction behind it, by the law of Snell."""

    def newton(_, distance):
        y = place[1] + distance * direction[1]
        off = place[0] + distance * direction[0] - at - height_of(shape, y)
        return distance - off / (direction[0] - slope_of(shape, y) * direction[1])

    place = place + fori_loop(0, 6, newton, (at - place[0]) / direction[0]) * direction
    normal = jnp.stack([jnp.ones_like(place[1]), -slope_of(shape, place[1])])
    normal = normal / jnp.sqrt(jnp.sum(normal**2))
    cosine = normal @ direction
    return place, ratio * direction + (jnp.sqrt(1 - ratio**2 * (1 - cosine**2)) - ratio * cosine) * normal


def trace(shapes, height):
    """The points of a ray that comes from far away: at both surfaces, and in the plane of the focus."""
    start = jnp.stack([-1.0 + 0.0 * height, height])
    first, inside = refract(start, jnp.array([1.0, 0.0]), PLACES[0], shapes[:3], 1 / GLASS)
    second, behind = refract(first, inside, PLACES[1], shapes[3:], GLASS)
    last = second + (FOCUS - second[0]) / behind[0] * behind
    return jnp.stack([start, first, second, last])


def missed(shapes):
    """How far from the axis each ray meets the plane of the focus."""
    return vmap(trace, in_axes=(None, 0))(shapes, HEIGHTS)[:, -1, 1]


def main(steps=60):
    both = jit(lambda shapes: (missed(shapes), jacfwd(missed)(shapes)))
    shapes, damping, spots = np.array([0.1, 0.0, 0.0, -0.1, 0.0, 0.0]), 1e-3, []
    off, slope = both(shapes)
    for _ in range(steps):  # Levenberg and Marquardt
        spots.append(np.sqrt(np.mean(off**2)))
        tried = shapes - np.linalg.solve(slope.T @ slope + damping * np.eye(6), slope.T @ off)
        new = both(tried)
        better = np.mean(new[0] ** 2) < spots[-1] ** 2
        if better:
            shapes, (off, slope) = tried, new
        damping *= 0.2 if better else 5.0
    return {"shapes": shapes, "spots": spots}
