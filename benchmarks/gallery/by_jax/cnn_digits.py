"""A convolutional network reads digits, by JAX."""

import jax.numpy as jnp
import numpy as np
import optax
from jax import jit, value_and_grad
from jax.lax import conv_general_dilated
from jax.scipy.special import logsumexp

ROWS = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71122", "75757", "75717"]
BITS = (np.array([[int(row) for row in digit] for digit in ROWS])[:, :, None] >> np.arange(2, -1, -1)) & 1
DIGITS = BITS.repeat(2, axis=1).repeat(2, axis=2)  # ten pictures of 10 by 6
optimizer = optax.adam(0.004)


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
    x = conv_general_dilated(x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias
    n, height, width, channels = x.shape
    return jnp.maximum(jnp.max(x.reshape(n, height // 2, 2, width // 2, 2, channels), axis=(2, 4)), 0)


def logits(p, x):
    x = layer(layer(x, p["k1"], p["b1"]), p["k2"], p["b2"])
    return x.reshape(len(x), -1) @ p["w"] + p["b"]


def loss(p, x, labels):
    z = logits(p, x)
    return jnp.mean(logsumexp(z, axis=1) - z[jnp.arange(len(z)), labels])


@jit
def step(p, memory, x, labels):
    value, gradient = value_and_grad(loss)(p, x, labels)
    updates, memory = optimizer.update(gradient, memory, p)
    return optax.apply_updates(p, updates), memory, value


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
