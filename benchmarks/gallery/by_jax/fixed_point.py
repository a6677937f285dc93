"""A fixed point and its derivative, by JAX."""

from functools import partial

import jax.numpy as jnp
import numpy as np
from jax import custom_vjp, grad, jit, value_and_grad, vjp


def step(x, w, b):
    return jnp.tanh(w @ x + b)


def iterated(w, b, steps):
    """The equation solved by iterating, which reverse mode has to remember step by step."""
    x = jnp.zeros_like(b)
    for _ in range(steps):
        x = step(x, w, b)
    return x


@custom_vjp
def solution(w, b):
    """The equation solved to the last digit."""
    return iterated(w, b, 100)


def forward(w, b):
    x = solution(w, b)
    return x, (x, w, b)


def backward(kept, g):
    """The cotangents by solving v = g + v df/dx, by iterating, too."""
    _, pullback = vjp(step, *kept)
    v = g
    for _ in range(100):
        v = g + pullback(v)[0]
    return pullback(v)[1:]


solution.defvjp(forward, backward)


def main(steps=200, size=12):
    generator = np.random.default_rng(0)
    w = generator.normal(size=(size, size))
    w *= 0.9 / np.linalg.norm(w, 2)
    b, target = generator.normal(size=size), generator.uniform(-0.7, 0.7, size)

    def loss(solve, w):
        return np.sum((solve(w, b) - target) ** 2)

    exact = grad(partial(loss, solution))(w)
    errors = [np.abs(grad(partial(loss, partial(iterated, steps=n)))(w) - exact).max() for n in range(1, 40)]
    downhill, losses = jit(value_and_grad(partial(loss, solution))), []
    for _ in range(steps):
        value, gradient = downhill(w)
        w = w - 0.05 * gradient
        losses.append(value)
    return {"errors": errors, "losses": losses}
