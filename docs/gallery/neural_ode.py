"""A neural differential equation.

How something moves is learned from noisy pictures of where it was: the rate of change is a small network, integrated
by the method of Runge and Kutta. Paths from starts that were never seen follow from it.
"""

import numpy as np

from autodiff import jit, optimize, scan, value_and_grad, vmap

optimizer = optimize.adam(0.01)


def true_rate(x):
    """A spiral that is the steeper the farther out."""
    return np.stack([-0.1 * x[0] ** 3 + 2.0 * x[1] ** 3, -2.0 * x[0] ** 3 - 0.1 * x[1] ** 3])


def network(p, x):
    return p["w2"] @ np.tanh(p["w1"] @ x**3 + p["b1"])


def path(rate, start, count, h=0.02):
    """The places at so many times, one step of Runge and Kutta apart."""

    def step(x, _):
        k1 = rate(x)
        k2 = rate(x + 0.5 * h * k1)
        k3 = rate(x + 0.5 * h * k2)
        k4 = rate(x + h * k3)
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), x

    return scan(step, start, length=count)[1]


def loss(p, starts, pieces):
    """How far short paths of the network are from pieces of the data."""
    found = vmap(lambda start: path(lambda x: network(p, x), start, pieces.shape[1]))(starts)
    return np.mean((found - pieces) ** 2)


@jit
def step(p, memory, starts, pieces):
    value, gradient = value_and_grad(loss)(p, starts, pieces)
    updates, memory = optimizer.update(gradient, memory, p)
    return optimize.apply_updates(p, updates), memory, value


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


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    left.plot(*found["data"].T, ".", color="0.6", markersize=2, label="data")
    left.plot(*found["learned"].T, label="learned")
    x, y = np.meshgrid(np.linspace(-2.2, 2.2, 16), np.linspace(-2.2, 2.2, 16))
    u, v = vmap(lambda x: network(found["p"], x))(np.stack([x.ravel(), y.ravel()], axis=1)).T
    left.quiver(x, y, u, v, alpha=0.4)
    left.legend(fontsize="small")
    right.semilogy(found["losses"])
    right.set(xlabel="step", ylabel="loss")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
