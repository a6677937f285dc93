"""Gaussian process regression.

The length, height and noise of the process are found by going up the marginal likelihood of the data. It is written as
in the textbook, with a Cholesky factor, and differentiated through it.
"""

import numpy as np

from autodiff import jit, value_and_grad


def covariance(a, b, log):
    """The covariance of the process at two sets of points; `log` holds logarithms, so that nothing becomes negative."""
    distance = (a[:, None] - b) / np.exp(log["length"])
    return np.exp(2 * log["height"] - 0.5 * distance**2)


def cost(log, x, y):
    """The negative logarithm of the marginal likelihood, for each point."""
    noisy = covariance(x, x, log) + np.exp(2 * log["noise"]) * np.eye(len(x))
    factor = np.linalg.cholesky(noisy)
    white = np.linalg.solve(factor, y)
    return (0.5 * np.sum(white**2) + np.sum(np.log(np.diag(factor)))) / len(x) + 0.5 * np.log(2 * np.pi)


def posterior(log, x, y, new):
    """The mean and standard deviation of the process at new points, given the data."""
    noisy = covariance(x, x, log) + np.exp(2 * log["noise"]) * np.eye(len(x))
    across = covariance(x, new, log)
    solved = np.linalg.solve(noisy, across)
    variance = np.exp(2 * log["height"]) - np.sum(across * solved, axis=0)
    return solved.T @ y, np.sqrt(variance)


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


def draw(figure, found):
    axes = figure.subplots()
    low, high = found["mean"] - 2 * found["deviation"], found["mean"] + 2 * found["deviation"]
    axes.fill_between(found["new"], low, high, alpha=0.25, label="two standard deviations")
    axes.plot(found["new"], found["mean"], label="mean")
    axes.plot(found["new"], np.sin(found["new"]) + 0.5 * np.sin(3 * found["new"]), "k:", label="truth")
    axes.plot(found["x"], found["y"], "k.", label="data")
    figure.legend(loc="outside lower center", ncols=4, fontsize="small")
    axes.set(xlabel="x", ylabel="y", title=f"noise {np.exp(found['log']['noise']):.2f}, truth 0.20")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
