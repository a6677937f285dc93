"""A robot arm.

Which angles of five joints bring the hand along a path? Each point is found by steps of damped least squares with the
Jacobian of the hand's place, beginning where the last one ended.
"""

import numpy as np

from autodiff import fori_loop, jacobian, jit, scan

LENGTHS = np.array([1.0, 0.8, 0.7, 0.5, 0.3])


def joints(angles):
    """The places of all joints; each angle is relative to the bone before."""
    direction = np.cumsum(angles)
    bones = LENGTHS[:, None] * np.stack([np.cos(direction), np.sin(direction)], axis=1)
    return np.cumsum(bones, axis=0)


def hand(angles):
    return joints(angles)[-1]


def reach(angles, target):
    """The angles nearby at which the hand is at the target."""

    def step(_, angles):
        slope = jacobian(hand)(angles)
        missed = target - hand(angles)
        damped = slope @ slope.T + 1e-3 * np.eye(2)
        return angles + slope.T @ np.linalg.solve(damped, missed)

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
    reached = np.array([hand(a) for a in angles])
    return {"path": path, "angles": angles, "missed": np.linalg.norm(reached - path, axis=1)}


def draw(figure, found):
    axes = figure.subplots()
    for k, angles in enumerate(found["angles"][:: max(len(found["angles"]) // 12, 1)]):
        bones = np.concatenate([np.zeros((1, 2)), joints(angles)])
        axes.plot(*bones.T, "o-", markersize=3, linewidth=1, color=f"C{k % 10}", alpha=0.6)
    axes.plot(*found["path"].T, "r", linewidth=2)
    axes.set(aspect="equal", title=f"the hand misses by at most {found['missed'].max():.0e}")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
