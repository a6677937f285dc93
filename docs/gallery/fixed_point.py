"""A fixed point and its derivative.

A layer of a network may be an equation, x = tanh(W x + b), that is solved by iterating. Differentiating the iterations
keeps all of them; the implicit function theorem needs the solution alone, and one more iteration of the same kind.
"""

from functools import partial

import numpy as np

from autodiff import custom_vjp, grad, jit, value_and_grad, vjp


def step(x, w, b):
    return np.tanh(w @ x + b)


def iterated(w, b, steps):
    """The equation solved by iterating, which reverse mode has to remember step by step."""
    x = np.zeros_like(b)
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


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    left.semilogy(range(1, len(found["errors"]) + 1), found["errors"])
    left.set(xlabel="iterations that are differentiated", ylabel="error of the gradient")
    right.semilogy(found["losses"])
    right.set(xlabel="step of training", ylabel="loss")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
