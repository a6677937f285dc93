"""Options, lattices, likelihoods."""

import math

import numpy as np
import scipy.stats as si
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import norm

N = norm.cdf


def black_scholes(p):
    S, K, r, sigma = p
    T = 0.5
    d1 = (math.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * math.sqrt(T))
    d2 = d1 - sigma * math.sqrt(T)
    return S * norm.cdf(d1) - K * math.exp(-r * T) * norm.cdf(d2)


def black_scholes_by_erf(p):
    def phi(x):
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    S, K, sigma = (float(v) for v in p)
    d1 = (math.log(S / K) + sigma * sigma / 2) / sigma
    return S * phi(d1) - K * phi(d1 - sigma)


def aliased_cdf(p):
    d1 = (np.log(p[0] / 1.1) + (0.02 + p[1] ** 2 / 2)) / p[1]
    return p[0] * N(d1) - 1.1 * np.exp(-0.02) * N(d1 - p[1])


def option_lattice(p):
    S0, sigma = p
    n, K, r, T = 6, 1.0, 0.03, 1.0
    dt = T / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    q = (math.exp(r * dt) - d) / (u - d)
    values = np.zeros(n + 1)
    for j in range(n + 1):
        values[j] = max(S0 * u**j * d ** (n - j) - K, 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = math.exp(-r * dt) * (q * values[j + 1] + (1 - q) * values[j])
    return values[0]


def american_put(p):
    stock = np.zeros((5, 5))
    option = np.zeros((5, 5))
    up, down = 1 + p[1], 1 / (1 + p[1])
    for i in range(5):
        for j in range(i + 1):
            stock[j, i] = p[0] * up ** (i - j) * down**j
    option[:, 4] = np.maximum(1.0 - stock[:, 4], 0)
    for i in range(3, -1, -1):
        for j in range(i + 1):
            hold = 0.99 * (0.5 * option[j, i + 1] + 0.5 * option[j + 1, i + 1])
            option[j, i] = max(hold, 1.0 - stock[j, i])
    return option[0, 0]


def monte_carlo(p):
    rng = np.random.RandomState(0)
    paths = np.zeros((8, 5))
    paths[:, 0] = p[0]
    for t in range(1, 5):
        z = rng.standard_normal(8)
        paths[:, t] = paths[:, t - 1] * np.exp((0.01 - 0.5 * p[1] ** 2) * 0.25 + p[1] * 0.5 * z)
    return np.mean(np.maximum(paths[:, -1] - 0.9, 0.0))


def implied_volatility(p):
    def difference(sigma):
        d1 = (np.log(1.0 / p[1]) + 0.5 * sigma**2) / sigma
        return norm.cdf(d1) - p[1] * norm.cdf(d1 - sigma) - p[0]

    return brentq(difference, 0.01, 3.0)


def portfolio(w):
    mu = np.array([0.05, 0.07, 0.03])
    cov = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.01]])
    weights = w / np.sum(w)
    return (weights @ mu - 0.01) / math.sqrt(weights @ cov @ weights)


def garch(p):
    omega, alpha, beta = p
    returns = np.array([0.1, -0.2, 0.05, 0.3, -0.15])
    variance = np.zeros(len(returns))
    variance[0] = np.var(returns)
    for t in range(1, len(returns)):
        variance[t] = omega + alpha * returns[t - 1] ** 2 + beta * variance[t - 1]
    return -0.5 * np.sum(np.log(2 * np.pi * variance) + returns**2 / variance)


def maximum_likelihood(p):
    data = np.array([0.5, 1.2, 0.8, 2.1, 1.7])
    return -np.sum(si.gamma.logpdf(data, p[0], scale=p[1])) - si.norm(p[0], 1.0).logpdf(0.3)


def poisson_regression(beta):
    X = np.column_stack([np.ones(4), np.arange(4.0)])
    y = np.array([1, 2, 2, 5])
    eta = X @ beta
    return sum(y[i] * eta[i] - math.exp(eta[i]) - gammaln(y[i] + 1) for i in range(4))


def yield_curve(p):
    maturities = np.array([0.5, 1.0, 2.0, 5.0])

    @np.vectorize
    def nelson_siegel(tau):
        x = tau / p[3]
        return p[0] + p[1] * (1 - math.exp(-x)) / x + p[2] * ((1 - math.exp(-x)) / x - math.exp(-x))

    return np.sum((nelson_siegel(maturities) - 0.03) ** 2)


def annuity(p):
    flows = [100.0 / (1 + p[0]) ** t for t in range(1, 6)]
    return np.sum(flows) - np.mean(flows) * p[1]


def heston_step(p):
    v = np.full(6, p[0])
    for t in range(5):
        shock = (-1) ** t * 0.3
        v[t + 1] = abs(v[t] + p[1] * (0.04 - v[t]) * 0.1 + p[2] * math.sqrt(v[t]) * shock * 0.1)
    return np.float64(v[-1]) + v.mean()
