"""A neural differential equation, by JAX."""

import jax.numpy as jnp
import numpy as np
import optax
from jax import jit, value_and_grad, vmap
from jax.lax import scan

optimizer = optax.adam(0.01)


def true_rate(x):
    """A spiral that is the steeper the farther out."""
    return jnp.stack([-0.1 * x[0] ** 3 + 2.0 * x[1] ** 3, -2.0 * x[0] ** 3 - 0.1 * x[1] ** 3])


def network(p, x):
    return p["w2"] @ jnp.tanh(p["w1"] @ x**3 + p["b1"])


def path(rate, start, count, h=0.02):
    """The places at so many times, one step of Runge and Kutta apart."""

    def step(x, _):
        k1 = rate(x)
        k2 = rate(x + 0.5 * h * k1)
        k3 = rate(x + 0.5 * h * k2)
        k4 = rate(x + h * k3)
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), x

    return scan(step, start, None, length=count)[1]


def loss(p, starts, pieces):
    """How far short paths of the network are from pieces of the data."""
    found = vmap(lambda start: path(lambda x: network(p, x), start, pieces.shape[1]))(starts)
    return jnp.mean((found - pieces) ** 2)


@jit
def step(p, memory, starts, pieces):
    value, gradient = value_and_grad(loss)(p, starts, pieces)
    updates, memory = optimizer.update(gradient, memory, p)
    return optax.apply_updates(p, updates), memory, value


def main(steps=1500, width=40):
    generator = np.random.default_rng(0)
    truth = path(true_rate, np.array([2.0, 0.0]), 600)
    data = truth + generator.normal(0, 0.01, truth.shape)
    p = {"w1": generator.normal(0, 0.3, (width, 2)), "b1": generator.normal(0, 1, width), "w2": np.zeros((2, width))}
    memory, losses = optimizer.init(p), []
    for _ in range(steps):
        chosen = generator.integers(0, len(data) - 20, 32)
        p, memory, value = step(p, memory, data[chosen], data[chosen[:, None] + np.arange(20)])
        losses.append(value)
    learned = path(lambda x: network(p, x), np.array([2.0, 0.0]), 600)
    return {"truth": truth, "data": data, "learned": learned, "losses": losses, "p": p}
