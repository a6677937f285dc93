"""Prices of options by the formula of Black and Scholes, with a volatility that smiles: a fit to quotes."""

import numpy as np
from scipy.stats import norm

STRIKES, TERMS = (x.ravel() for x in np.meshgrid(np.linspace(70, 140, 40), np.linspace(0.1, 2, 25)))
QUOTES = 0.01 * STRIKES + np.maximum(100 - STRIKES, 0) + 4 * np.sqrt(TERMS)


def price(spot, strike, term, rate, volatility):
    spread = volatility * np.sqrt(term)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * term) / spread
    return spot * norm.cdf(d1) - strike * np.exp(-rate * term) * norm.cdf(d1 - spread)


def loss(p):
    level, skew, smile, rate = p
    moneyness = np.log(STRIKES / 100)
    volatility = level + skew * moneyness + smile * moneyness**2
    return np.mean((price(100.0, STRIKES, TERMS, rate, volatility) - QUOTES) ** 2)


def start():
    return np.array([0.2, -0.05, 0.1, 0.02])
