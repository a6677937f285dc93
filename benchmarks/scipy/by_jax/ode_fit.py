"""A fit of hares and lynxes, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax.experimental.ode import odeint

TIMES = np.linspace(0, 12, 40)
SEEN = np.stack([4 + 3 * np.sin(0.9 * TIMES), 2 + 1.5 * np.sin(0.9 * TIMES - 1.2)])


def hunted(y, t, birth, hunt, death, growth):
    hares, lynxes = y
    return jnp.array([birth * hares - hunt * hares * lynxes, growth * hares * lynxes - death * lynxes])


def loss(p):
    found = odeint(hunted, p[4:], jnp.asarray(TIMES), *p[:4], rtol=1e-9, atol=1e-9)
    return jnp.mean((found.T - SEEN) ** 2)
