"""A convolutional network reads digits.

The digits are small bitmaps, shifted and buried in noise. In NumPy a convolution is a product with all windows of a
picture, and pooling is the largest of each block.
"""

import numpy as np

from autodiff import jit, optimize, value_and_grad
from autodiff.scipy.special import logsumexp

ROWS = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71122", "75757", "75717"]
BITS = (np.array([[int(row) for row in digit] for digit in ROWS])[:, :, None] >> np.arange(2, -1, -1)) & 1
DIGITS = BITS.repeat(2, axis=1).repeat(2, axis=2)  # ten pictures of 10 by 6
optimizer = optimize.adam(0.004)


def pictures(generator, count):
    """Noisy digits somewhere in pictures of 16 by 16."""
    labels = generator.integers(0, 10, count)
    x = generator.normal(0, 0.3, (count, 16, 16))
    for picture, label in zip(x, labels):
        down, right = generator.integers(0, 7, 2)
        picture[down : down + 10, right : right + 6] += DIGITS[label]
    return x[..., None].astype(np.float32), labels


def layer(x, kernel, bias):
    """A convolution, and of each block of two by two the largest, or 0."""
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel.shape[:2], axis=(1, 2))
    x = np.einsum("nijcab,abck->nijk", windows, kernel) + bias
    n, height, width, channels = x.shape
    return np.maximum(np.max(x.reshape(n, height // 2, 2, width // 2, 2, channels), axis=(2, 4)), 0)


def logits(p, x):
    x = layer(layer(x, p["k1"], p["b1"]), p["k2"], p["b2"])
    return x.reshape(len(x), -1) @ p["w"] + p["b"]


def loss(p, x, labels):
    z = logits(p, x)
    return np.mean(logsumexp(z, axis=1) - z[np.arange(len(z)), labels])


@jit
def step(p, memory, x, labels):
    value, gradient = value_and_grad(loss)(p, x, labels)
    updates, memory = optimizer.update(gradient, memory, p)
    return optimize.apply_updates(p, updates), memory, value


def main(steps=400):
    generator = np.random.default_rng(0)
    shapes = {"k1": (5, 5, 1, 8), "k2": (3, 3, 8, 16), "w": (64, 10)}
    p = {n: generator.normal(0, np.prod(s[:-1]) ** -0.5, s).astype(np.float32) for n, s in shapes.items()}
    p |= {"b1": np.zeros(8, np.float32), "b2": np.zeros(16, np.float32), "b": np.zeros(10, np.float32)}
    memory, losses = optimizer.init(p), []
    for _ in range(steps):
        p, memory, value = step(p, memory, *pictures(generator, 64))
        losses.append(value)
    x, labels = pictures(generator, 500)
    said = np.argmax(logits(p, x), axis=1)
    return {"losses": losses, "x": x[..., 0], "labels": labels, "said": said, "accuracy": np.mean(said == labels)}


def draw(figure, found):
    for k, axes in enumerate(figure.subplots(3, 6).flat):
        axes.imshow(found["x"][k], cmap="gray")
        axes.set(xticks=[], yticks=[])
        axes.set_title(found["said"][k], color="k" if found["said"][k] == found["labels"][k] else "r")
    figure.suptitle(f"{found['accuracy']:.1%} of 500 new digits are read rightly")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
