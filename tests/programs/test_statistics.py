"""Likelihoods, filters, hidden chains, Gaussian processes, mixtures, sampling, finance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special

from autodiff.scipy import special as own
from tests.programs.programs import Programs, check

programs = Programs()

rng = np.random.default_rng(0)
DATA = rng.normal(size=(6, 2))
LABELS = np.array([0, 1, 1, 0, 1, 0])
SERIES = np.cumsum(rng.normal(size=7))
LOGITS = rng.normal(size=(3, 3))
COUNTS = np.array([3, 0, 5, 2])


def logsumexp(a, axis=None):
    top = np.max(a, axis=axis, keepdims=True)
    out = np.log(np.sum(np.exp(a - top), axis=axis, keepdims=True)) + top
    return np.squeeze(out, axis=axis) if axis is not None else out.item()


programs.table(
    {
        "normal_log_likelihood": (
            lambda x, m, s: np.sum(-0.5 * ((x - m) / s) ** 2 - np.log(s) - 0.5 * np.log(2 * np.pi)),
            SERIES,
            0.3,
            1.2,
        ),
        "student_t": (
            lambda x, nu: np.sum(
                special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) - (nu + 1) / 2 * np.log1p(x**2 / nu)
            ),
            SERIES,
            3.5,
        ),
        "poisson_regression": (
            lambda b: np.sum(COUNTS * b - np.exp(b) - special.gammaln(COUNTS + 1)),
            np.array([0.2, 0.1, 0.7, -0.3]),
        ),
        "gamma_log_density": (
            lambda a, b: (a - 1) * np.log(1.7) - 1.7 / b - special.gammaln(a) - a * np.log(b),
            2.3,
            0.8,
        ),
        "beta_binomial": (lambda a, b: special.betaln(a + COUNTS, b + 6 - COUNTS) - special.betaln(a, b), 1.3, 2.1),
        "dirichlet": (
            lambda a: (
                special.gammaln(np.sum(a)) - np.sum(special.gammaln(a)) + np.sum((a - 1) * np.log([0.2, 0.5, 0.3]))
            ),
            np.array([1.5, 0.7, 2.2]),
        ),
        "negative_binomial": (
            lambda r, p: special.gammaln(COUNTS + r) - special.gammaln(r) + r * np.log(p) + COUNTS * np.log1p(-p),
            1.7,
            0.4,
        ),
        "entropy": (lambda x: -np.sum(x / x.sum() * np.log(x / x.sum())), np.array([0.2, 1.5, 0.6])),
        "kullback_leibler": (
            lambda p, q: np.sum(special.rel_entr(p / p.sum(), q / q.sum())),
            np.array([0.2, 1.5, 0.6]),
            np.array([0.9, 0.5, 0.6]),
        ),
        "kl_of_normals": (
            lambda m, s: np.sum(0.5 * (s**2 + m**2 - 1) - np.log(s)),
            np.array([0.3, -0.4]),
            np.array([0.8, 1.3]),
        ),
        "softmax_scipy": (lambda x: own.softmax(x, axis=1) * own.log_softmax(x, axis=0), LOGITS),
        "logsumexp_scipy": (lambda x: own.logsumexp(x, axis=1), LOGITS),
        "logsumexp_hand": (lambda x: logsumexp(x, axis=1), LOGITS),
        "logsumexp_hand_all": (lambda x: logsumexp(x), LOGITS),
        "expit_logit": (lambda x: special.logit(special.expit(x) ** 2), SERIES),
        "xlogy": (lambda p: np.sum(special.xlogy(p, p)), np.array([0.2, 0.5, 0.3])),
        "probit": (lambda x: special.log_ndtr(x) + special.ndtr(2 * x), SERIES),
        "erf_and_inverse": (lambda x: special.erfinv(special.erf(x) * 0.9) + special.erfc(x), SERIES / 4),
        "digamma": (lambda x: special.digamma(x) + own.polygamma(1, x), np.array([0.7, 2.2])),
        "method_of_moments": (lambda x: np.stack([x.mean(), x.var(), np.mean((x - x.mean()) ** 3)]), SERIES),
        "standardise": (lambda x: (x - x.mean(axis=0)) / x.std(axis=0, ddof=1), DATA),
        "weighted_least_squares": (
            lambda w: np.linalg.solve(DATA.T @ (w[:, None] * DATA), DATA.T @ (w * LABELS)),
            np.abs(SERIES[:6]) + 0.5,
        ),
        "quantile_loss": (lambda q: np.mean(np.maximum(0.3 * (SERIES - q), -0.7 * (SERIES - q))), 0.123),
        "absolute_loss_median": (lambda x: np.sum(np.abs(x - np.median(x))), SERIES),
        "spearman": (lambda x: np.corrcoef(np.argsort(np.argsort(SERIES)), x)[0, 1], SERIES**2),
        "lorenz_curve": (lambda x: np.cumsum(np.sort(x)) / np.sum(x), np.array([0.3, 1.2, 0.7])),
        "wasserstein": (lambda x, y: np.mean(np.abs(np.sort(x) - np.sort(y))), SERIES, SERIES[::-1] * 1.1 + 0.3),
        "kernel_density": (
            lambda x, h: np.exp(-0.5 * ((x[:, None] - SERIES) / h) ** 2).mean(1) / h,
            np.array([0.1, 0.9]),
            0.7,
        ),
        "maximum_mean_discrepancy": (
            lambda x, y: np.mean(rbf(x, x)) + np.mean(rbf(y, y)) - 2 * np.mean(rbf(x, y)),
            DATA,
            DATA[::-1] + 0.2,
        ),
        "energy_distance": (lambda x: np.mean(np.sqrt(np.sum((x[:, None] - DATA[None, ::-1]) ** 2, -1) + 1e-2)), DATA),
        "bootstrap": (
            lambda x: np.stack([x[np.random.default_rng(k).integers(0, 7, 7)].mean() for k in range(3)]).std(),
            SERIES,
        ),
        "reparametrised_normal": (
            lambda m, s: np.mean(np.tanh(m + s * np.random.default_rng(1).normal(size=50))),
            0.3,
            0.8,
        ),
        "reparametrised_multivariate": (
            lambda m, a: np.mean(
                np.sum(
                    (m + np.random.default_rng(1).normal(size=(20, 3)) @ np.linalg.cholesky(a @ a.T + np.eye(3)).T)
                    ** 3,
                    -1,
                )
            ),
            LOGITS[0],
            LOGITS,
        ),
        "gumbel_softmax": (lambda x: softmax((x + np.random.default_rng(2).gumbel(size=(3, 3))) / 0.5), LOGITS),
        "inverse_transform_sampling": (
            lambda rate: np.mean(-np.log1p(-np.random.default_rng(3).uniform(size=20)) / rate),
            1.4,
        ),
        "black_scholes": (lambda s, k, r, v, t: black_scholes(s, k, r, v, t), 100.0, 95.0, 0.05, 0.2, 0.7),
        "black_scholes_of_arrays": (
            lambda s, v: black_scholes(s, np.array([90.0, 100.0, 110.0]), 0.03, v, 0.5),
            np.array([99.0, 101.0, 98.0]),
            0.3,
        ),
        "binomial_option_tree": (lambda s, v: binomial_tree(s, v), 100.0, 0.3),
        "asian_option_monte_carlo": (lambda s, v: asian(s, v), 100.0, 0.3),
        "portfolio_variance": (lambda w: (w / w.sum()) @ np.cov(DATA.T) @ (w / w.sum()), np.array([0.4, 0.9])),
        "sharpe_ratio": (lambda w: np.mean(DATA @ w) / np.std(DATA @ w, ddof=1), np.array([0.4, 0.9])),
        "discounted_returns": (lambda r, g: np.sum(r * g ** np.arange(len(r))), SERIES, 0.9),
        "internal_rate_by_newton": (lambda flows: internal_rate(flows), np.array([-1.0, 0.4, 0.5, 0.4])),
    }
)


def rbf(x, y):
    return np.exp(-0.5 * np.sum((x[:, None] - y[None]) ** 2, axis=-1))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def black_scholes(s, k, r, v, t):
    d1 = (np.log(s / k) + (r + v**2 / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    phi = [0.5 * (1 + special.erf(d / np.sqrt(2))) for d in (d1, d2)]
    return s * phi[0] - k * np.exp(-r * t) * phi[1]


def binomial_tree(s, v):
    n, dt, r = 6, 0.1, 0.02
    up = np.exp(v * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
    value = np.maximum(s * up ** (2.0 * np.arange(n + 1) - n) - 97.3, 0)
    for _ in range(n):
        value = np.exp(-r * dt) * (p * value[1:] + (1 - p) * value[:-1])
    return value[0]


def asian(s, v):
    noise = np.random.default_rng(5).normal(size=(10, 4))
    path = s * np.exp(np.cumsum((0.01 - v**2 / 2) * 0.25 + v * 0.5 * noise, axis=1))
    return np.maximum(path.mean(axis=1) - 95.0, 0).mean()


def internal_rate(flows):
    r = 0.1
    for _ in range(15):
        years = np.arange(len(flows))
        value = np.sum(flows * (1 + r) ** -years)
        slope = np.sum(-years * flows * (1 + r) ** (-years - 1.0))
        r = r - value / slope
    return r


@dataclass
class LinearGaussian:
    transition: np.ndarray
    emission: np.ndarray
    q: float
    r: float


@programs(LinearGaussian(np.array([[0.9, 0.2], [-0.1, 0.8]]), np.array([[1.0, 0.3]]), 0.3, 0.5), SERIES)
def kalman_filter(model, observations):
    mean, cov = np.zeros(2), np.eye(2)
    total = 0.0
    for y in observations:
        mean, cov = model.transition @ mean, model.transition @ cov @ model.transition.T + model.q * np.eye(2)
        s = model.emission @ cov @ model.emission.T + model.r
        gain = cov @ model.emission.T @ np.linalg.inv(s)
        innovation = y - model.emission @ mean
        total += -0.5 * (innovation @ np.linalg.solve(s, innovation) + np.linalg.slogdet(s)[1] + np.log(2 * np.pi))
        mean = mean + gain @ innovation
        cov = (np.eye(2) - gain @ model.emission) @ cov
    return total, mean, cov


@programs(LOGITS, LOGITS.T + 1, LOGITS[0])
def hidden_markov_forward(transition, emission, start):
    log_a = transition - own.logsumexp(transition, axis=1, keepdims=True)
    log_b = emission - logsumexp(emission, axis=1)[:, None]
    alpha = start - logsumexp(start, axis=0) + log_b[:, 0]
    for symbol in (1, 2, 2, 0):
        alpha = logsumexp(alpha[:, None] + log_a, axis=0) + log_b[:, symbol]
    return logsumexp(alpha, axis=0)


@programs(softmax(LOGITS), softmax(LOGITS.T))
def hidden_markov_scaled(a, b):
    alpha, total = np.ones(3) / 3, 0.0
    for symbol in [0, 2, 1, 1]:
        alpha = (alpha @ a) * b[:, symbol]
        scale = alpha.sum()
        total += np.log(scale)
        alpha /= scale
    return total


@programs(LOGITS, LOGITS.T)
def viterbi_score(log_a, log_b):
    score = log_b[:, 0]
    for symbol in [2, 1, 0]:
        score = np.max(score[:, None] + log_a, axis=0) + log_b[:, symbol]
    return score.max()


@programs(LOGITS)
def edit_distance_soft(costs):
    table = np.full((4, 4), 50.0, like=costs)
    table[0, 0] = 0
    for i in range(1, 4):
        for j in range(1, 4):
            options = np.stack([table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]])
            table[i, j] = costs[i - 1, j - 1] - np.log(np.sum(np.exp(-options)))
    return table[-1, -1]


@programs({"scale": 1.2, "length": 0.7, "noise": 0.3}, SERIES)
def gaussian_process_likelihood(p, y):
    x = np.linspace(0, 2, len(y))
    k = p["scale"] ** 2 * np.exp(-0.5 * (x[:, None] - x) ** 2 / p["length"] ** 2) + p["noise"] ** 2 * np.eye(len(y))
    low = np.linalg.cholesky(k)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, y))
    return -0.5 * y @ alpha - np.log(np.diag(low)).sum() - len(y) / 2 * np.log(2 * np.pi)


@programs(0.7, SERIES)
def gaussian_process_prediction(length, y):
    x, new = np.linspace(0, 2, len(y)), np.array([0.3, 1.1])
    kernel = lambda a, b: np.exp(-0.5 * np.subtract.outer(a, b) ** 2 / length**2)  # noqa: E731
    k = kernel(x, x) + 0.1 * np.eye(len(x))
    cross = kernel(x, new)
    mean = cross.T @ np.linalg.solve(k, y)
    var = 1 - np.einsum("ij,ij->j", cross, np.linalg.solve(k, cross))
    return mean, np.sqrt(var)


@programs(np.array([0.3, -0.2]), np.array([0.9, 1.3]), np.array([0.2, 0.5]))
def gaussian_mixture(means, scales, logits):
    weights = np.exp(logits) / np.exp(logits).sum()
    densities = [w * np.exp(-0.5 * ((SERIES - m) / s) ** 2) / s for w, m, s in zip(weights, means, scales)]
    return np.log(sum(densities)).sum()


@programs(DATA, np.array([0.4, -0.3]))
def expectation_maximisation_step(x, center):
    centers = np.stack([center, -center])
    d = ((x[:, None] - centers) ** 2).sum(-1)
    r = np.exp(-d) / np.exp(-d).sum(1, keepdims=True)
    return (r.T @ x) / r.sum(0)[:, None]


@programs(np.array([0.5, -0.3]), 0.4)
def ar_process(phi, sigma):
    total = 0.0
    for t in range(2, len(SERIES)):
        total -= 0.5 * ((SERIES[t] - phi @ SERIES[t - 2 : t][::-1]) / sigma) ** 2 + np.log(sigma)
    return total


@programs(np.array([0.1, 0.2, 0.6]))
def garch(p):
    omega, alpha, beta = p
    variance, total = np.var(SERIES), 0.0
    for r in SERIES:
        variance = omega + alpha * r**2 + beta * variance
        total += np.log(variance) + r**2 / variance
    return -total / 2


@programs(np.array([0.3, 0.1]))
def cox_partial_likelihood(b):
    risk = DATA @ b
    order = np.argsort(SERIES[:6])
    sums = np.cumsum(np.exp(risk[order][::-1]))[::-1]
    return np.sum((risk[order] - np.log(sums)) * LABELS[order])


@programs(np.array([0.5, 0.3]), np.array([[1.2, 0.3], [0.1, 0.8]]))
def multivariate_normal(mean, a):
    cov = a @ a.T
    d = DATA - mean
    return -0.5 * np.sum(d @ np.linalg.inv(cov) * d) - 3 * np.log(np.linalg.det(cov))


@programs(np.array([0.3, -0.2, 0.5]))
def stick_breaking(x):
    v = 1 / (1 + np.exp(-x))
    left = np.concatenate([[1.0], np.cumprod(1 - v)])
    return np.append(v, 1.0) * left


@programs(np.array([0.3, -0.2, 0.5]), 2)
def hamiltonian_monte_carlo_step(q, steps):
    def gradient(x):
        return x + 0.3 * x**3

    p = np.random.default_rng(0).normal(size=3)
    p = p - 0.05 * gradient(q)
    for _ in range(steps):
        q = q + 0.1 * p
        p = p - 0.1 * gradient(q)
    return q, p


@programs(np.array([0.1, 0.4, 0.8]))
def empirical_cdf_soft(x):
    return np.mean(1 / (1 + np.exp(-(x[:, None] - SERIES) / 0.1)), axis=1)


@programs(np.array([1.5, 0.7]))
def renewal_by_incomplete_gamma(p):
    return special.gammainc(2.5, p) + special.gammaincc(1.5, p)


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])
