"""Maximum likelihood, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax.scipy import stats

generator = np.random.default_rng(1)
WAITED = generator.gamma(2.3, 1.7, 2000)
SEEN = 0.7 * WAITED + 0.4 * generator.standard_t(4.0, 2000)


def loss(p):
    shape, scale, slope, spread, freedom = jnp.exp(p)
    waiting = stats.gamma.logpdf(WAITED, shape, scale=scale)
    seeing = stats.t.logpdf(SEEN, freedom, loc=slope * WAITED, scale=spread)
    return -jnp.mean(waiting + seeing)
