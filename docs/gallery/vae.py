"""A variational autoencoder.

Pictures of a ball are squeezed into two numbers and unpacked again. Nobody says where the ball is; the two numbers turn
out to be its place. The noise is drawn inside of the compiled program, from a state that is handed on.
"""

import numpy as np

import autodiff
from autodiff import jit, optimize, value_and_grad

SIDE = 12
optimizer = optimize.adam(0.003)


def pictures(generator, count):
    """A round spot at a random place of each picture."""
    places = generator.uniform(2, SIDE - 3, (count, 2, 1, 1))
    squared = np.sum((places - np.mgrid[:SIDE, :SIDE]) ** 2, axis=1)
    return np.exp(-squared / 4).reshape(count, -1), places[:, :, 0, 0]


def encode(p, x):
    """The mean and the logarithm of the standard deviation of the two numbers."""
    hidden = np.tanh(x @ p["e1"] + p["eb"])
    return hidden @ p["mean"], hidden @ p["log"] - 2.0


def decode(p, z):
    """The logits of the pixels."""
    return np.tanh(np.tanh(z @ p["d1"] + p["db"]) @ p["d2"] + p["dc"]) @ p["d3"] - 2.0


def loss(p, x, state):
    """How badly pictures are drawn again, and how far the numbers are from normal ones."""
    mean, log = encode(p, x)
    noise, state = autodiff.random.normal(state, mean.shape)
    logits = decode(p, mean + np.exp(log) * noise)
    pixels = np.sum(np.logaddexp(0.0, logits) - x * logits, axis=1)
    distance = np.sum(0.5 * (mean**2 + np.exp(2 * log) - 1) - log, axis=1)
    return np.mean(pixels + distance), state


@jit
def step(p, memory, state, x):
    (value, state), gradient = value_and_grad(loss, has_aux=True)(p, x, state)
    updates, memory = optimizer.update(gradient, memory, p)
    return optimize.apply_updates(p, updates), memory, state, value


def main(steps=3000, width=64):
    generator, state = np.random.default_rng(0), autodiff.random.state(0)
    sizes = {"e1": (SIDE**2, width), "mean": (width, 2), "log": (width, 2), "d1": (2, width), "d2": (width, width)}
    p = {n: generator.normal(0, s[0] ** -0.5, s) for n, s in (sizes | {"d3": (width, SIDE**2)}).items()}
    p |= {n: np.zeros(width) for n in ("eb", "db", "dc")}
    memory, losses = optimizer.init(p), []
    for _ in range(steps):
        p, memory, state, value = step(p, memory, state, pictures(generator, 64)[0])
        losses.append(value)
    x, places = pictures(generator, 500)
    grid = np.stack(np.meshgrid(np.linspace(-1.5, 1.5, 6), np.linspace(1.5, -1.5, 6)), axis=-1).reshape(-1, 2)
    drawn = 1 / (1 + np.exp(-decode(p, grid).reshape(-1, SIDE, SIDE)))
    return {"losses": losses, "drawn": drawn, "codes": encode(p, x)[0], "places": places}


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    framed = np.pad(found["drawn"], ((0, 0), (1, 1), (1, 1)), constant_values=0.4).reshape(6, 6, SIDE + 2, -1)
    left.imshow(framed.swapaxes(1, 2).reshape(6 * (SIDE + 2), -1), cmap="magma")
    left.set(title="a grid, unpacked", xticks=[], yticks=[])
    figure.colorbar(right.scatter(*found["codes"].T, c=found["places"][:, 0], s=8), label="height of the ball")
    right.set(title="500 pictures, packed")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
