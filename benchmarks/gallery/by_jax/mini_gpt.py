"""A small GPT on a poem, by JAX."""

import jax.numpy as jnp
import numpy as np
import optax
from jax import jit, value_and_grad
from jax.nn import log_softmax, softmax

POEM = "Tyger Tyger, burning bright, In the forests of the night; What immortal hand or eye "
LETTERS = sorted(set(POEM))
TEXT = np.array([LETTERS.index(letter) for letter in 3 * POEM])
LENGTH, WIDTH, HEADS, LAYERS = 32, 48, 4, 2
optimizer = optax.adam(0.003)


def attention(x, mixed, out):
    """What each place takes from those before it, and how much of each."""
    q, k, v = jnp.split((x @ mixed).reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2), 3, axis=-1)
    scores = q @ k.swapaxes(-1, -2) / jnp.sqrt(q.shape[-1])
    shares = softmax(jnp.where(jnp.tri(x.shape[1], dtype=bool), scores, -jnp.inf), axis=-1)
    return (shares @ v).swapaxes(1, 2).reshape(x.shape) @ out, shares


def logits(p, letters):
    """For each place the scores of the letter that follows; and the last layer's attention."""
    x = p["letters"][letters] + p["places"][: letters.shape[1]]
    for layer in range(LAYERS):
        taken, shares = attention(x, p["mixed"][layer], p["out"][layer])
        x = x + taken
        x = x + jnp.tanh(x @ p["up"][layer]) @ p["down"][layer]
    return x @ p["letters"].T, shares


def loss(p, letters):
    chances = log_softmax(logits(p, letters[:, :-1])[0], axis=-1)
    return -jnp.mean(jnp.take_along_axis(chances, letters[:, 1:, None], axis=-1))


@jit
def step(p, memory, letters):
    value, gradient = value_and_grad(loss)(p, letters)
    updates, memory = optimizer.update(gradient, memory, p)
    return optax.apply_updates(p, updates), memory, value


def main(steps=600, letters=60):
    generator = np.random.default_rng(0)
    shapes = {name: (LAYERS, WIDTH, many * WIDTH) for name, many in (("mixed", 3), ("out", 1), ("up", 4))}
    shapes |= {"down": (LAYERS, 4 * WIDTH, WIDTH), "letters": (len(LETTERS), WIDTH), "places": (LENGTH, WIDTH)}
    p = {name: generator.normal(0, 0.08, shape).astype(np.float32) for name, shape in shapes.items()}
    memory, losses = optimizer.init(p), []
    for _ in range(steps):
        starts = generator.integers(0, len(TEXT) - LENGTH, (16, 1))
        p, memory, value = step(p, memory, TEXT[starts + np.arange(LENGTH + 1)])
        losses.append(value)
    written, scores = TEXT[:16], jit(logits)
    for _ in range(letters):  # always of one length, lest each be compiled: what follows a place does not change it
        seen = written[-LENGTH:]
        padded = np.pad(seen, (0, LENGTH - len(seen)))
        written = np.append(written, np.argmax(scores(p, padded[None])[0][0, len(seen) - 1]))
    shares = scores(p, written[None, :LENGTH])[1][0].mean(axis=0)
    return {"losses": losses, "written": "".join(LETTERS[k] for k in written), "shares": shares}
