"""Portfolios on the efficient frontier.

For each aversion to risk, the weights with the best balance of return and risk; no weight is negative, since they are
a softmax. One descent, written for one investor, runs for sixty at once.
"""

import numpy as np

from autodiff import fori_loop, grad, jit, vmap
from autodiff.scipy.special import softmax


def market(generator, assets=6, days=1000):
    """Daily returns of assets that move together, the riskier with the higher mean."""
    risk = np.linspace(0.004, 0.02, assets)
    common = generator.normal(size=(days, 1))
    own = generator.normal(size=(days, assets))
    return 0.0001 + 0.04 * risk + risk * (0.5 * common + 0.87 * own)


def figures(weights, mean, covariance):
    """The return and the risk of a portfolio."""
    return weights @ mean, np.sqrt(weights @ covariance @ weights)


def unhappiness(z, aversion, mean, covariance):
    """What an investor minimises: the variance times the aversion, less the return; in units of the assets' spread."""
    gain, risk = figures(softmax(z), mean, covariance)
    return (0.5 * aversion * risk**2 - gain) / np.std(mean)


def chosen(aversion, mean, covariance, steps):
    """The weights of one investor."""

    def step(_, z):
        return z - 2.0 * grad(unhappiness)(z, aversion, mean, covariance)

    return softmax(fori_loop(0, steps, step, np.zeros_like(mean)))


def main(steps=2000, investors=60):
    returns = market(np.random.default_rng(3))
    mean, covariance = 250 * returns.mean(axis=0), 250 * np.cov(returns.T)
    aversions = np.geomspace(0.3, 100.0, investors)
    frontier = jit(vmap(lambda aversion: chosen(aversion, mean, covariance, steps)))
    weights = frontier(aversions)
    return {
        "aversions": aversions,
        "weights": weights,
        "frontier": np.array([figures(w, mean, covariance) for w in weights]),
        "assets": np.stack([mean, np.sqrt(np.diag(covariance))], axis=1),
    }


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    gain, risk = found["frontier"].T
    left.plot(risk, gain, "-o", markersize=3, label="portfolios")
    left.plot(found["assets"][:, 1], found["assets"][:, 0], "k^", label="assets")
    left.legend(fontsize="small")
    left.set(xlabel="risk in a year", ylabel="return in a year")
    right.stackplot(found["aversions"], found["weights"].T)
    right.set(xscale="log", xlabel="aversion to risk", ylabel="weights", ylim=(0, 1))


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
