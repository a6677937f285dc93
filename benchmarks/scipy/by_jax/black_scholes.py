"""Prices of options, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax.scipy.stats import norm

STRIKES, TERMS = (x.ravel() for x in np.meshgrid(np.linspace(70, 140, 40), np.linspace(0.1, 2, 25)))
QUOTES = 0.01 * STRIKES + np.maximum(100 - STRIKES, 0) + 4 * np.sqrt(TERMS)


def price(spot, strike, term, rate, volatility):
    spread = volatility * jnp.sqrt(term)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * term) / spread
    return spot * norm.cdf(d1) - strike * jnp.exp(-rate * term) * norm.cdf(d1 - spread)


def loss(p):
    level, skew, smile, rate = p
    moneyness = jnp.log(STRIKES / 100)
    volatility = level + skew * moneyness + smile * moneyness**2
    return jnp.mean((price(100.0, STRIKES, TERMS, rate, volatility) - QUOTES) ** 2)
