"""A spline whose knots move.

A natural cubic spline goes through its knots; its second derivatives solve a system of equations. Both where the knots
are and how high they are is fitted to noisy data, by the Jacobian through that system.
"""

import numpy as np

from autodiff import jacobian, jit


def spline(knots, heights, x):
    """The natural cubic spline through the knots, at x."""
    h, slope = np.diff(knots), np.diff(heights) / np.diff(knots)
    inner = len(knots) - 2
    rows = np.arange(inner)
    system = np.zeros((inner, inner), like=knots)
    system[rows, rows] = 2 * (h[:-1] + h[1:])
    system[rows[:-1], rows[1:]] = h[1:-1]
    system[rows[1:], rows[:-1]] = h[1:-1]
    bend = np.pad(np.linalg.solve(system, 6 * np.diff(slope)), 1)
    k = np.clip(np.sum(x[:, None] > knots[1:-1], axis=1), 0, inner)
    a, b = knots[k + 1] - x, x - knots[k]
    curved = (bend[k] * a**3 + bend[k + 1] * b**3) / (6 * h[k])
    left, right = heights[k] / h[k] - bend[k] * h[k] / 6, heights[k + 1] / h[k] - bend[k + 1] * h[k] / 6
    return curved + left * a + right * b


def unpacked(p):
    """Knots from 0 to 1, in their order whatever p is, and their heights."""
    n = (len(p) + 1) // 2
    widths = np.exp(p[: n - 1])
    return np.concatenate([np.zeros(1), np.cumsum(widths) / np.sum(widths)]), p[n - 1 :]


def fit(x, y, knots, steps):
    """Levenberg and Marquardt, from equal distances and heights of zero."""
    both = jit(lambda p: (spline(*unpacked(p), x) - y, jacobian(lambda p: spline(*unpacked(p), x))(p)))
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


def draw(figure, found):
    axes, x = figure.subplots(), np.linspace(0, 1, 500)
    axes.plot(found["x"], found["y"], ".", color="0.6", label="data")
    axes.plot(x, curve(x), "k:", label="truth")
    axes.plot(x, spline(found["knots"], found["heights"], x), label="spline")
    axes.plot(found["knots"], found["heights"], "ro", label="knots")
    axes.legend(fontsize="small")
    axes.set(title=f"root mean square error {found['costs'][-1]:.3f}, noise 0.050")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
