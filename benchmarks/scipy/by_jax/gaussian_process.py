"""A Gaussian process, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import cho_factor, cho_solve

generator = np.random.default_rng(2)
PLACES = generator.uniform(0, 5, (150, 2))
SEEN = np.sin(PLACES[:, 0]) * np.cos(PLACES[:, 1]) + 0.1 * generator.normal(size=150)


def loss(p):
    height, length, noise = jnp.exp(p)
    squares = jnp.sum(((PLACES[:, None] - PLACES) / length) ** 2, axis=-1)
    kernel = height * jnp.exp(-0.5 * squares) + (noise + 1e-8) * jnp.eye(len(PLACES))
    factor, lower = cho_factor(kernel, lower=True)
    weights = cho_solve((factor, lower), SEEN)
    return 0.5 * SEEN @ weights + jnp.sum(jnp.log(jnp.diag(factor))) + 0.5 * len(SEEN) * jnp.log(2 * jnp.pi)
