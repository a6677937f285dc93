"""Loops and branches hand on arrays that lie in memory as they lay before."""

import numpy as np
import pytest

import autodiff

X = np.asfortranarray(np.arange(18.0).reshape(3, 3, 2))


def read(x):
    """The elements as they lie in memory."""
    return np.ravel(x, "K")


def mixed(x):
    return x + read(x).reshape(x.shape)


def looped(x, steps):
    for _ in range(steps):
        x = mixed(x)
    return x


PROGRAMS = {
    "map": (lambda x: autodiff.map(read, x), lambda x: np.stack([read(row) for row in x])),
    "slices": (
        lambda x: autodiff.scan(lambda c, row: (c, read(row)), 0.0, x)[1],
        lambda x: np.stack([read(row) for row in x]),
    ),
    "carry": (
        lambda x: autodiff.scan(lambda c, _: (mixed(c), read(c)), x[0], length=2),
        lambda x: (looped(x[0], 2), np.stack([read(x[0]), read(mixed(x[0]))])),
    ),
    "blocks": (
        lambda x: autodiff.scan(lambda c, _: (mixed(c), None), x[0], length=3, checkpoint=2)[0],
        lambda x: looped(x[0], 3),
    ),
    "fori_loop": (lambda x: autodiff.fori_loop(0, 2, lambda _, c: mixed(c), x[0]), lambda x: looped(x[0], 2)),
    "while_loop": (
        lambda x: autodiff.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, mixed(s[1])), (0, x[0]))[1],
        lambda x: looped(x[0], 2),
    ),
    "cond": (lambda x: read(autodiff.cond(True, lambda y: y, mixed, x[0])), lambda x: read(x[0])),
    "switch": (lambda x: autodiff.switch(1, [mixed, read], x[0]), lambda x: read(x[0])),
    "stop_gradient": (lambda x: read(autodiff.stop_gradient(x[0])) + 0 * x[0, 0, 0], lambda x: read(x[0])),
}
MODES = {
    "plain": lambda f: f(X),
    "vjp": lambda f: autodiff.vjp(f, X)[0],
    "jvp": lambda f: autodiff.jvp(f, (X,), (X,))[0],
    "linearize": lambda f: autodiff.linearize(f, X)[0],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_python(name, mode):
    ours, python = PROGRAMS[name]
    found, expected = (autodiff.tree.leaves(result) for result in (MODES[mode](ours), python(X)))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_steps_write_to_slices_of_a_broadcast_array():
    xs = np.broadcast_to(np.arange(4.0), (3, 2, 4))

    def step(c, x):
        x[0] = x[0] + 1.0
        return c + np.sum(x), x

    def increased(_, c):
        c[0] = c[0] + 1.0
        return c

    expected = np.stack([np.arange(4.0) + 1, np.arange(4.0)])
    c, ys = autodiff.scan(step, 0.0, xs)
    assert c == 3 * np.sum(expected)
    np.testing.assert_array_equal(ys, np.stack([expected] * 3))
    np.testing.assert_array_equal(autodiff.fori_loop(0, 1, increased, xs[0]), expected)


def test_writes_to_a_stopped_broadcast_array():
    def loss(x):
        y = autodiff.stop_gradient(np.broadcast_to(x, (2, 4)))
        y[0] = 1.0
        return np.sum(y * x)

    x = np.arange(4.0)
    np.testing.assert_array_equal(autodiff.grad(loss)(x), 1 + x)
