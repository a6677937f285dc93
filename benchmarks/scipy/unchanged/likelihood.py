"""Maximum likelihood: waiting times of a gamma distribution, and errors of Student's t, whose centre they move."""

import numpy as np
from scipy import stats

generator = np.random.default_rng(1)
WAITED = generator.gamma(2.3, 1.7, 2000)
SEEN = 0.7 * WAITED + 0.4 * generator.standard_t(4.0, 2000)


def loss(p):
    shape, scale, slope, spread, freedom = np.exp(p)
    waiting = stats.gamma.logpdf(WAITED, shape, scale=scale)
    seeing = stats.t.logpdf(SEEN, freedom, loc=slope * WAITED, scale=spread)
    return -np.mean(waiting + seeing)


def start():
    return np.log([2.0, 2.0, 0.5, 0.5, 5.0])
