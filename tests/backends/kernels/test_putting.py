"""What a loop puts at places that it computes: in the memory that it carries, where nobody looks at that again."""

import random

import numpy as np
import pytest

import autodiff

SHAPES = [(6,), (40,), (20, 3, 2)]


def one(i, k, x):
    k[i] = k[0] * 0.5 + x
    return k


def two_that_see_each_other(i, k, x):
    k[i] = k[i - 1] + x
    k[(i + 1) % len(k)] = k[i] * 2
    return k


def another_row(i, k, x):
    k[i] = k[1]
    return k


def parts_that_overlap(i, k, x):
    k[1:4] = k[0:3]
    k[i] += x
    return k


def arithmetic_that_overlaps(i, k, x):
    k[3:] = k[:-3] * x
    return k


def backwards(i, k, x):
    k[::-1] = k
    k[i] = k[0]
    return k


def with_what_was_there(i, k, x):
    before = k.copy()
    k[i] = x
    return k + before * 0.5


def last_axis(i, k, x):
    k[..., i % k.shape[-1]] = x * i
    return k


def several_for_one_place(i, k, x):
    k[[0, i, i]] = k[[1, 2, 0]]
    return k


BODIES = [
    one, two_that_see_each_other, another_row, parts_that_overlap, arithmetic_that_overlaps, backwards,
    with_what_was_there, last_axis, several_for_one_place,
]  # fmt: skip


def looped(body):
    return lambda x, k: autodiff.fori_loop(0, 5, lambda i, k: body(i, k, x), k * x)


def written_out(body, x, k):
    k = k * x
    for i in range(5):
        k = body(i, k, x)
    return k


def calls_nothing(f, *args):
    return "calls out" not in str(f.explain(*args))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_values_and_gradients(body, shape):
    k = np.random.default_rng(0).normal(size=shape)
    f = autodiff.jit(looped(body))
    np.testing.assert_array_equal(f(1.3, k), written_out(body, 1.3, k))
    assert calls_nothing(f, 1.3, k)
    gradient = autodiff.grad(lambda x, k: np.sum(looped(body)(x, k) ** 2), argnums=(0, 1))
    compiled, plain = autodiff.jit(gradient), autodiff.jit(gradient, backend="numpy")
    for found, expected in zip(compiled(1.3, k), plain(1.3, k), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert calls_nothing(compiled, 1.3, k)


def test_a_loop_that_returns_what_it_got_beside_what_it_wrote():
    def step(carry, i):
        first, second = carry
        changed = first + 0.0
        changed[i] = 7.0
        return (changed, first), second

    k = np.arange(30.0)
    found = autodiff.jit(lambda k: autodiff.scan(step, (k, k * 2), np.arange(4)))(k)
    plain = autodiff.jit(lambda k: autodiff.scan(step, (k, k * 2), np.arange(4)), backend="numpy")(k)
    for one, other in zip(autodiff.tree.leaves(found), autodiff.tree.leaves(plain), strict=True):
        np.testing.assert_array_equal(one, other)


def rows_of(a):
    return np.broadcast_to(a, (4, len(a))).copy()


def windows_of(a):
    return np.lib.stride_tricks.sliding_window_view(a, len(a) - 3).copy()


@pytest.mark.parametrize("length", [7, 60])
@pytest.mark.parametrize("shown", [rows_of, windows_of])
def test_what_shows_one_place_several_times_is_copied(shown, length):
    def step(a, x):
        rows = shown(a)
        rows[1] = x
        rows[2, 1] = 2.0
        return np.tanh(np.resize(rows.sum(0), length)), None

    a = np.linspace(-1, 1, length)
    found = autodiff.jit(lambda a: autodiff.scan(step, a * 1.0, np.arange(3.0))[0])(a)
    for x in range(3):
        a = step(a, float(x))[0]
    np.testing.assert_allclose(found, a, rtol=1e-13)


@pytest.mark.parametrize("length", [5, 60])
def test_a_place_outside_is_an_error(length):
    def f(x):
        def step(i, k):
            k[i + length] = 1.0
            return k

        return autodiff.fori_loop(0, 2, step, x * 1.0)

    with pytest.raises(IndexError, match="out of"):
        autodiff.jit(f)(np.ones(length))


def test_picks_of_a_batch_send_rows_back():
    def loss(table, picks):
        return np.sum(autodiff.scan(lambda a, i: (np.tanh(a + table[:, i]), None), table[:, 0], picks)[0])

    rng = np.random.default_rng(0)
    table, picks = rng.normal(size=(3, 5)), rng.integers(0, 5, (7, 50))
    gradient = autodiff.vmap(autodiff.grad(loss), in_axes=(None, 0))
    f = autodiff.jit(gradient)
    np.testing.assert_allclose(f(table, picks), gradient(table, picks), rtol=1e-12)
    assert calls_nothing(f, table, picks)


@pytest.mark.parametrize("count", [1, 3])
def test_rows_of_each_example_of_a_batch(count):
    def loss(table, i):
        return np.sum(autodiff.fori_loop(0, 4, lambda j, c: c + np.sin(table[i] * c), np.ones(6) * table[0, 0]))

    rng = np.random.default_rng(0)
    tables, i = rng.normal(size=(count, 40, 6)), rng.integers(0, 40, count)
    for axes, table in ((0, 0), tables), ((None, 0), tables[0]):
        gradient = autodiff.vmap(autodiff.grad(loss), in_axes=axes)
        np.testing.assert_allclose(autodiff.jit(gradient)(table, i), gradient(table, i), rtol=1e-12)


def test_the_same_place_in_each_example_of_a_batch():
    def loss(k, i, w):
        k = k * w
        k[i] = 2.0 * k[0]
        return np.sum(k * k * w)

    rng = np.random.default_rng(0)
    k, w = rng.normal(size=(3, 9)), rng.normal(size=9)
    gradient = autodiff.vmap(autodiff.grad(loss), in_axes=(0, None, None))
    np.testing.assert_allclose(autodiff.jit(gradient)(k, 2, w), gradient(k, 2, w), rtol=1e-13)


@pytest.mark.parametrize("size", [3, 100])
def test_checkpoint_in_a_loop_is_part_of_its_kernel(size):
    def loss(c):
        return np.sum(
            autodiff.scan(lambda c, _: (autodiff.checkpoint(lambda c: np.tanh(c * 1.1))(c), None), c, None, 9)[0]
        )

    c = np.linspace(0.1, 1, size)
    f = autodiff.jit(autodiff.grad(loss))
    np.testing.assert_allclose(f(c), autodiff.grad(loss)(c), rtol=1e-13)
    assert calls_nothing(f, c)


STATEMENTS = (
    "a[{place}] = {value}", "c[{place}] -= {value}", "b[{place}] = b[{place}] * 0.5 + {value}", "a, c = c, a",
    "a[1:] = a[:-1]", "c[2:4] += {value}", "b[:, i % M] = a", "c = c.copy()", "t = a[1:3]", "t = c[::-1][:2]",
    "t = b.T[0]", "c[0] = t[1]", "a = a + np.sum(t) * 0.1", "a[[0, {place}]] = a[[1, 2]]", "b = b * 0.9",
    "np.add.at(c, [{place}, {place}], {value})", "t = np.broadcast_to(a, (3, N)).copy(); t[1] = {value}; t = t[:, 1]",
    "t = np.lib.stride_tricks.sliding_window_view(c, 3).copy(); t[1] = {value}; t = t.sum(0)",
)  # fmt: skip
PLACES = ("i % N", "(i * 3 + 1) % N", "np.argmax(a)", "0", "-1")
VALUES = ("a[{place}]", "c[{place}] * 0.5", "x", "np.sum(b[{place}]) * 0.1", "b[{place}, 1]")
STACKED = ("None", "a", "b[i % N]", "c[:2]")


def random_loop(random):
    """A loop that carries three arrays, and reads and writes them and views of them in any order."""

    def filled(text):
        value = random.choice(VALUES)
        for _ in range(3):  # a value has places, too
            text = text.replace("{value}", value).replace("{place}", random.choice(PLACES), 1)
        return text.replace("{place}", random.choice(PLACES))

    lines = [filled(random.choice(STATEMENTS)) for _ in range(random.randint(3, 6))]
    body = "\n        ".join(["a, b, c = carry", "t = b[0]", *lines, f"return (a, b, c), {random.choice(STACKED)}"])
    text = (
        "def f(a, b, c, x):\n    N, M = b.shape\n"
        f"    def step(carry, i):\n        {body}\n"
        "    return autodiff.scan(step, (a * x, b * x, c * x), np.arange(5))\n"
    )
    space = {"np": np, "autodiff": autodiff}
    exec(text, space)
    return space["f"], text


@pytest.mark.parametrize("seed", range(12))
def test_random_loops(seed):
    rng = np.random.default_rng(seed)
    f, text = random_loop(random.Random(seed))
    n, m = [(5, 3), (40, 3), (9, 20)][seed % 3]
    args = rng.normal(size=n), rng.normal(size=(n, m)), rng.normal(size=n), 1.3
    gradient = autodiff.grad(
        lambda *args: sum(np.sum(y * y) for y in autodiff.tree.leaves(f(*args)) if y is not None), argnums=(0, 1, 2, 3)
    )
    for function in (f, gradient):
        found, expected = (autodiff.jit(function, backend=which)(*args) for which in ("auto", "numpy"))
        for one, other in zip(*map(autodiff.tree.leaves, (found, expected)), strict=True):
            if one is not None:
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=text)
