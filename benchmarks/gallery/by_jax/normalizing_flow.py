"""A normalizing flow, by JAX."""

import jax.numpy as jnp
import numpy as np
import optax
from jax import jit, value_and_grad, vmap

optimizer = optax.adam(lambda count: 0.01 / (1 + count / 500))


def moons(generator, count):
    """Points on two half circles, with noise."""
    angle, upper = generator.uniform(0, np.pi, count), generator.integers(0, 2, count)
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle)) - 0.5
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle)) - 0.25
    return 1.5 * np.stack([x, y], axis=1) + generator.normal(0, 0.08, (count, 2))


def network(p, layer, a):
    """The logarithm of a scale, and a shift, for the other coordinate."""
    scale, shift = p["w2"][layer] @ jnp.tanh(a * p["w1"][layer] + p["b1"][layer]) + p["b2"][layer]
    return 2.0 * jnp.tanh(scale), shift


def log_density(p, x):
    """The point is turned into noise, whose density is known; on the way the volume changes."""
    (a, b), volume = x, 0.0
    for layer in range(len(p["w1"])):
        scale, shift = network(p, layer, a)
        a, b, volume = (b - shift) * jnp.exp(-scale), a, volume - scale
    return volume - 0.5 * (a**2 + b**2) - jnp.log(2 * jnp.pi)


def from_noise(p, z):
    """The point that is made of some noise: the same layers backwards."""
    a, b = z
    for layer in reversed(range(len(p["w1"]))):
        scale, shift = network(p, layer, b)
        a, b = b, a * jnp.exp(scale) + shift
    return jnp.stack([a, b])


@jit
def step(p, memory, x):
    value, gradient = value_and_grad(lambda p: -jnp.mean(vmap(log_density, in_axes=(None, 0))(p, x)))(p)
    updates, memory = optimizer.update(gradient, memory, p)
    return optax.apply_updates(p, updates), memory, value


def main(steps=2000, width=24, depth=8):
    generator = np.random.default_rng(0)
    shapes = {"w1": (2.0, (depth, width)), "b1": (1.0, (depth, width)), "w2": (0.01, (depth, 2, width))}
    p = {name: generator.normal(0, *spread) for name, spread in shapes.items()} | {"b2": np.zeros((depth, 2))}
    memory, costs = optimizer.init(p), []
    for _ in range(steps):
        p, memory, value = step(p, memory, moons(generator, 256))
        costs.append(value)
    samples = vmap(from_noise, in_axes=(None, 0))(p, generator.normal(size=(2000, 2)))
    return {"p": p, "costs": costs, "samples": samples}
