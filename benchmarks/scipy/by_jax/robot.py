"""An arm of six joints follows a path, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import vmap

LENGTHS = np.array([0.5, 0.4, 0.4, 0.3, 0.2, 0.1])
TWISTS = np.where(np.arange(6) % 2, np.pi / 2, -np.pi / 2)
TIMES = np.linspace(0, 3, 20)
PATH = np.stack([0.9 + 0.2 * np.cos(TIMES), 0.3 * np.sin(TIMES), np.full(20, 0.4)], 1)


def frame(angle, length, twist):
    ca, sa, ct, st = jnp.cos(angle), jnp.sin(angle), jnp.cos(twist), jnp.sin(twist)
    return jnp.array(
        [[ca, -sa * ct, sa * st, length * ca], [sa, ca * ct, -ca * st, length * sa], [0, st, ct, 0], [0, 0, 0, 1]]
    )


def hand(angles):
    whole = jnp.eye(4)
    for k in range(6):
        whole = whole @ frame(angles[k], LENGTHS[k], TWISTS[k])
    return whole[:3, 3]


def loss(p):
    return jnp.sum((vmap(hand)(p) - PATH) ** 2) + 0.01 * jnp.sum(jnp.diff(p, axis=0) ** 2)
