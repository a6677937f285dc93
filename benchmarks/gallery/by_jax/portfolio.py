"""Portfolios on the efficient frontier, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jit, vmap
from jax.lax import fori_loop
from jax.nn import softmax


def market(generator, assets=6, days=1000):
    """Daily returns of assets that move together, the riskier with the higher mean."""
    risk = np.linspace(0.004, 0.02, assets)
    common = generator.normal(size=(days, 1))
    own = generator.normal(size=(days, assets))
    return 0.0001 + 0.04 * risk + risk * (0.5 * common + 0.87 * own)


def figures(weights, mean, covariance):
    """The return and the risk of a portfolio."""
    return weights @ mean, jnp.sqrt(weights @ covariance @ weights)


def unhappiness(z, aversion, mean, covariance):
    """What an investor minimises: the variance times the aversion, less the return; in units of the assets' spread."""
    gain, risk = figures(softmax(z), mean, covariance)
    return (0.5 * aversion * risk**2 - gain) / jnp.std(mean)


def chosen(aversion, mean, covariance, steps):
    """The weights of one investor."""

    def step(_, z):
        return z - 2.0 * grad(unhappiness)(z, aversion, mean, covariance)

    return softmax(fori_loop(0, steps, step, jnp.zeros_like(mean)))


def main(steps=2000, investors=60):
    returns = market(np.random.default_rng(3))
    mean, covariance = 250 * returns.mean(axis=0), 250 * np.cov(returns.T)
    aversions = np.geomspace(0.3, 100.0, investors)
    frontier = jit(vmap(lambda aversion: chosen(aversion, mean, covariance, steps)))
    weights = np.asarray(frontier(aversions))
    return {
        "aversions": aversions,
        "weights": weights,
        "frontier": np.array([figures(w, mean, covariance) for w in weights]),
        "assets": np.stack([mean, np.sqrt(np.diag(covariance))], axis=1),
    }
