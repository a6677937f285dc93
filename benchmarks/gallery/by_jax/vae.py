"""A variational autoencoder, by JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import jit, value_and_grad

SIDE = 12
optimizer = optax.adam(0.003)


def pictures(generator, count):
    """A round spot at a random place of each picture."""
    places = generator.uniform(2, SIDE - 3, (count, 2, 1, 1))
    squared = np.sum((places - np.mgrid[:SIDE, :SIDE]) ** 2, axis=1)
    return np.exp(-squared / 4).reshape(count, -1), places[:, :, 0, 0]


def encode(p, x):
    """The mean and the logarithm of the standard deviation of the two numbers."""
    hidden = jnp.tanh(x @ p["e1"] + p["eb"])
    return hidden @ p["mean"], hidden @ p["log"] - 2.0


def decode(p, z):
    """The logits of the pixels."""
    return jnp.tanh(jnp.tanh(z @ p["d1"] + p["db"]) @ p["d2"] + p["dc"]) @ p["d3"] - 2.0


def loss(p, x, key):
    """How badly pictures are drawn again, and how far the numbers are from normal ones."""
    mean, log = encode(p, x)
    key, of_noise = jax.random.split(key)
    noise = jax.random.normal(of_noise, mean.shape)
    logits = decode(p, mean + jnp.exp(log) * noise)
    pixels = jnp.sum(jnp.logaddexp(0.0, logits) - x * logits, axis=1)
    distance = jnp.sum(0.5 * (mean**2 + jnp.exp(2 * log) - 1) - log, axis=1)
    return jnp.mean(pixels + distance), key


@jit
def step(p, memory, key, x):
    (value, key), gradient = value_and_grad(loss, has_aux=True)(p, x, key)
    updates, memory = optimizer.update(gradient, memory, p)
    return optax.apply_updates(p, updates), memory, key, value


def main(steps=3000, width=64):
    generator, key = np.random.default_rng(0), jax.random.key(0)
    sizes = {"e1": (SIDE**2, width), "mean": (width, 2), "log": (width, 2), "d1": (2, width), "d2": (width, width)}
    p = {n: generator.normal(0, s[0] ** -0.5, s) for n, s in (sizes | {"d3": (width, SIDE**2)}).items()}
    p |= {n: np.zeros(width) for n in ("eb", "db", "dc")}
    memory, losses = optimizer.init(p), []
    for _ in range(steps):
        p, memory, key, value = step(p, memory, key, pictures(generator, 64)[0])
        losses.append(value)
    x, places = pictures(generator, 500)
    grid = np.stack(np.meshgrid(np.linspace(-1.5, 1.5, 6), np.linspace(1.5, -1.5, 6)), axis=-1).reshape(-1, 2)
    drawn = 1 / (1 + np.exp(-decode(p, grid).reshape(-1, SIDE, SIDE)))
    return {"losses": losses, "drawn": drawn, "codes": encode(p, x)[0], "places": places}
