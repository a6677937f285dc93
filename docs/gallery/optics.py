"""Designing a lens.

Rays are traced through a lens of glass with two curved surfaces, and the shape of the surfaces is changed until all
rays meet in one point. A sphere cannot do that; the terms of fourth and sixth order that the gradient finds can.
"""

import numpy as np

from autodiff import fori_loop, grad, jacobian, jit, vmap

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
    normal = np.stack([np.ones_like(place[1]), -slope_of(shape, place[1])])
    normal = normal / np.sqrt(np.sum(normal**2))
    cosine = normal @ direction
    return place, ratio * direction + (np.sqrt(1 - ratio**2 * (1 - cosine**2)) - ratio * cosine) * normal


def trace(shapes, height):
    """The points of a ray that comes from far away: at both surfaces, and in the plane of the focus."""
    start = np.stack([-1.0 + 0.0 * height, height])
    first, inside = refract(start, np.array([1.0, 0.0]), PLACES[0], shapes[:3], 1 / GLASS)
    second, behind = refract(first, inside, PLACES[1], shapes[3:], GLASS)
    last = second + (FOCUS - second[0]) / behind[0] * behind
    return np.stack([start, first, second, last])


def missed(shapes):
    """How far from the axis each ray meets the plane of the focus."""
    return vmap(trace, in_axes=(None, 0))(shapes, HEIGHTS)[:, -1, 1]


def main(steps=60):
    both = jit(lambda shapes: (missed(shapes), jacobian(missed)(shapes)))
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


def draw(figure, found):
    axes = figure.subplots()
    for ray in vmap(trace, in_axes=(None, 0))(found["shapes"], HEIGHTS[::2]):
        axes.plot(*ray.T, "r", linewidth=0.6)
    for at, shape in zip(PLACES, (found["shapes"][:3], found["shapes"][3:])):
        axes.plot(at + height_of(shape, HEIGHTS), HEIGHTS, "b")
    axes.set(aspect="equal", title=f"the spot was {found['spots'][0]:.0e} wide and is {found['spots'][-1]:.0e}")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
