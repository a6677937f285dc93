"""A Gaussian process: the marginal likelihood of its kernel's parameters, by factors of Cholesky."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist

generator = np.random.default_rng(2)
PLACES = generator.uniform(0, 5, (150, 2))
SEEN = np.sin(PLACES[:, 0]) * np.cos(PLACES[:, 1]) + 0.1 * generator.normal(size=150)


def loss(p):
    height, length, noise = np.exp(p)
    squares = cdist(PLACES / length, PLACES / length, "sqeuclidean")
    kernel = height * np.exp(-0.5 * squares) + (noise + 1e-8) * np.eye(len(PLACES))
    factor, lower = cho_factor(kernel, lower=True)
    weights = cho_solve((factor, lower), SEEN)
    return 0.5 * SEEN @ weights + np.sum(np.log(np.diag(factor))) + 0.5 * len(SEEN) * np.log(2 * np.pi)


def start():
    return np.log([1.0, 0.8, 0.05])
