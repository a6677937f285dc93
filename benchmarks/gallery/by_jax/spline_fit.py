"""A spline whose knots move, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import jacfwd, jit


def spline(knots, heights, x):
    """The natural cubic spline through the knots, at x."""
    h, slope = jnp.diff(knots), jnp.diff(heights) / jnp.diff(knots)
    inner = len(knots) - 2
    rows = jnp.arange(inner)
    system = jnp.zeros((inner, inner)).at[rows, rows].set(2 * (h[:-1] + h[1:]))
    system = system.at[rows[:-1], rows[1:]].set(h[1:-1])
    system = system.at[rows[1:], rows[:-1]].set(h[1:-1])
    bend = jnp.pad(jnp.linalg.solve(system, 6 * jnp.diff(slope)), 1)
    k = jnp.clip(jnp.sum(x[:, None] > knots[1:-1], axis=1), 0, inner)
    a, b = knots[k + 1] - x, x - knots[k]
    curved = (bend[k] * a**3 + bend[k + 1] * b**3) / (6 * h[k])
    left, right = heights[k] / h[k] - bend[k] * h[k] / 6, heights[k + 1] / h[k] - bend[k + 1] * h[k] / 6
    return curved + left * a + right * b


def unpacked(p):
    """Knots from 0 to 1, in their order whatever p is, and their heights."""
    n = (len(p) + 1) // 2
    widths = jnp.exp(p[: n - 1])
    return jnp.concatenate([jnp.zeros(1), jnp.cumsum(widths) / jnp.sum(widths)]), p[n - 1 :]


def fit(x, y, knots, steps):
    """Levenberg and Marquardt, from equal distances and heights of zero."""
    both = jit(lambda p: (spline(*unpacked(p), x) - y, jacfwd(lambda p: spline(*unpacked(p), x))(p)))
    p, damping, costs = np.zeros(2 * knots - 1), 1e-2, []
    missed, slope = both(p)
    for _ in range(steps):
        tried = p - np.linalg.solve(slope.T @ slope + damping * np.eye(len(p)), slope.T @ missed)
        new = both(tried)
        better = np.sum(new[0] ** 2) < np.sum(missed**2)
        if better:
            p, (missed, slope) = tried, new
        damping *= 0.3 if better else 4.0
        costs.append(np.sqrt(np.mean(missed**2)))
    return p, costs


def curve(x):
    return np.tanh(30 * (x - 0.35)) + 0.3 * np.sin(9 * x)


def main(steps=40, knots=9):
    generator = np.random.default_rng(0)
    x = np.sort(generator.uniform(0, 1, 200))
    y = curve(x) + generator.normal(0, 0.05, 200)
    p, costs = fit(x, y, knots, steps)
    return {"x": x, "y": y, "knots": unpacked(p)[0], "heights": unpacked(p)[1], "costs": costs}
