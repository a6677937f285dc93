"""Learning to learn, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jit, value_and_grad, vmap


def network(p, x):
    hidden = jnp.tanh(x[:, None] * p["w1"] + p["b1"])
    hidden = jnp.tanh(hidden @ p["w2"] + p["b2"])
    return hidden @ p["w3"]


def loss(p, x, y):
    return jnp.mean((network(p, x) - y) ** 2)


def adapted(p, x, y, rate=0.05):
    """The network after one step on a task of its own."""
    gradient = grad(loss)(p, x, y)
    return {name: p[name] - rate * gradient[name] for name in p}


def meta_loss(p, x, y, new_x, new_y):
    """How well the adapted networks do on points that they have not seen, over all tasks."""

    def one(x, y, new_x, new_y):
        return loss(adapted(p, x, y), new_x, new_y)

    return jnp.mean(vmap(one)(x, y, new_x, new_y))


def tasks(generator, count, points):
    """Sine waves of random height and phase, at random points."""
    height, phase = generator.uniform(0.5, 2, (count, 1)), generator.uniform(0, np.pi, (count, 1))
    x, new_x = generator.uniform(-3, 3, (2, count, points))
    return x, height * np.sin(x + phase), new_x, height * np.sin(new_x + phase)


def main(steps=3000, width=40):
    generator = np.random.default_rng(0)
    p = {
        "w1": generator.normal(0, 1, width), "b1": generator.normal(0, 1, width),
        "w2": generator.normal(0, 1 / np.sqrt(width), (width, width)), "b2": np.zeros(width),
        "w3": generator.normal(0, 1 / np.sqrt(width), width),
    }  # fmt: skip
    downhill, losses = jit(value_and_grad(meta_loss)), []
    speed = {name: np.zeros_like(p[name]) for name in p}
    for _ in range(steps):
        value, gradient = downhill(p, *tasks(generator, 25, 10))
        speed = {name: 0.9 * speed[name] - 0.005 * np.clip(gradient[name], -1, 1) for name in p}
        p = {name: p[name] + speed[name] for name in p}
        losses.append(value)
    x, y, _, _ = (part[0] for part in tasks(np.random.default_rng(7), 1, 10))
    grid = np.linspace(-3, 3, 100)
    before, after = network(p, grid), network(adapted(p, x, y), grid)
    return {"losses": losses, "task": (x, y), "grid": grid, "before": before, "after": after}
