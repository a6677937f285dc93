"""Whole programs as one kernel: what they compute, and how they are written."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff import cond, fori_loop, grad, jit, scan, switch, value_and_grad, while_loop
from autodiff.backends.kernels.call import IndexRangeError
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.backends.llvm.statements.target import printed
from autodiff.trace.spec import spec
from tests.backends.kernels.running import alike, by_one, needs_numba, reference, simple

RNG = np.random.default_rng(0)


def text(fun, *args):
    return whole_kernel(simple(fun, *args)).text


def array(*shape, dtype=np.float64):
    return spec(shape, dtype)


def normal(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


# How they are written.


def test_small_values_are_variables():
    found = text(lambda x: np.sum(np.sin(x) * x), array(3))
    assert "for " not in found
    assert "store" in found
    assert "shifted" not in found
    assert found.count("sin(") == 3


def test_loops_that_run_through_memory_as_one_become_one():
    assert text(lambda x: np.exp(x) * 2, array(4, 5, 60)).count("for ") == 1
    assert text(lambda x, y: np.exp(x) * y, array(4, 5, 60), array(5, 60)).count("for ") == 2
    assert text(lambda x, y: np.exp(x) * y, array(4, 5, 60), array(4, 1, 1)).count("for ") == 2


def test_operations_on_one_shape_share_their_loops_and_need_no_memory():
    tape = simple(lambda x: np.sum(np.tanh(x * 2 + 1) ** 2), array(1000))
    kernel = whole_kernel(tape)
    assert kernel.text.count("for ") == 1
    assert kernel.memory == 0


def test_views_move_nothing():
    found = text(lambda x: np.exp(x[2:, ::3].T), array(30, 90))
    assert found.count("load_float64") == 1
    assert found.count("store_float64") == 1


def test_a_scan_is_a_loop_with_its_carry_in_variables():
    found = text(lambda c, xs: scan(lambda c, x: (c * x + 1, None), c, xs)[0], 1.0, array(50))
    assert found.count("for t") == 1
    assert len([line for line in found.splitlines() if line.strip().startswith("c")]) == 2  # at first, and each step


def test_a_branch_is_a_branch():
    found = text(lambda x: cond(x > 0, np.sin, np.cos, x), 1.0)
    assert "if v" in found
    assert "else:" in found
    assert found.count("sin(") == found.count("cos(") == 1


@pytest.mark.parametrize(
    ("fun", "args", "reason"),
    [
        (np.linalg.eigvalsh, [array(30, 30)], "eigvalsh of 30 x 30 matrices"),
        (lambda x: x + 1, [array(3, dtype=complex)], "an argument of complex128, which kernels do not know"),
        (lambda x: (x + 1, 2j), [array(3)], "a result of complex128, which kernels do not know"),
        (lambda x: x.astype(np.float16), [array(3)], "cast gives float16, which kernels do not know"),
        (lambda x: x + 1, [array(0)], "an argument of shape (0,)"),
        (lambda x: np.spacing(x), [array(3)], "spacing of float64 has no scalar expression"),
    ],
)
def test_what_cannot_be_in_a_kernel_says_why(fun, args, reason):
    with pytest.raises(Impossible) as caught:
        whole_kernel(simple(fun, *args))
    assert str(caught.value) == reason


# What they compute.

# fmt: off
FUNCTIONS = {
    "elementwise":        lambda x: np.exp(x) * 2 - x / 3,
    "sums":               lambda x: (np.sum(x), np.sum(x * x, axis=0), np.sum(x, axis=-1, keepdims=True) * x),
    "middle sum":         lambda x: np.sum(x.reshape(x.shape[0], -1, 1) * x[:, :1].reshape(-1, 1, 1), axis=1),
    "extremes":           lambda x: (np.max(x, axis=0), np.min(x), np.max(x - 1, axis=-1) * np.any(x > 1, axis=-1)),
    "transposed":         lambda x: (x.T * 2, np.sum(x.T, axis=1), x.T[::-1] + 1),
    "slices":             lambda x: (x[1:] * 2 - x[:-1], x[::-1, 0], x[-1] + 1, x[:, 1:] + 0.5),
    "put together":       lambda x: (np.concatenate([x, x[:1] * 2]), np.stack([x, -x], axis=1), np.concatenate([x, x * 2], axis=1)),
    "assigned":           lambda x: assigned(x),
    "spread":             lambda x: np.broadcast_to(x[:, :1], x.shape) * x + np.ones((2, *x.shape)) * x[0, 0],
    "split":              lambda x: [part * k for k, part in enumerate(np.split(x, 2, axis=1))] + list(x.T)[:2],
    "product":            lambda x: (x @ x.T, x.T @ x, x @ x[0], np.dot(x[0], x[0]), (x[None] * 2) @ x.T),
    "picked":             lambda x: (np.take(x, np.array([1, 0, -1]), axis=0), x[np.array([0, 1]), np.array([1, 0])]),
    "flags":              lambda x: (x > 0, (x > 0) & (x < 1), np.where(x > 0, x, -1), np.sum(x > 0), np.all(x < 9)),
    "normalised":         lambda x: (x - np.mean(x, axis=0)) / np.std(x, axis=0),
    "gradient":           grad(lambda x: np.sum(np.tanh(x @ x.T)[1:] ** 2) + np.max(x) + np.sum(np.sort(x[0, :1]) if False else x[0, :1])),
    "gathered gradient":  grad(lambda x: np.sum(np.take(x, np.array([0, 1, 1, -1]), axis=0) ** 2)),
    "softmax":            lambda x: np.exp(x - np.max(x, 1, keepdims=True)) / np.sum(np.exp(x - np.max(x, 1, keepdims=True)), 1, keepdims=True),
}
# fmt: on


def assigned(x):
    y = x * 2
    y[1:] = x[:-1]
    y[:, ::2] += 3
    return y


@needs_numba
@settings(max_examples=30)
@given(
    name=st.sampled_from(sorted(FUNCTIONS)),
    shape=st.sampled_from([(2, 2), (3, 4), (2, 40), (37, 2), (20, 30)]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_values_are_those_of_numpy(name, shape, dtype):
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    alike(by_one(FUNCTIONS[name], x), reference(FUNCTIONS[name], x), ulps=2000)


@needs_numba
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_values_of_small_arrays_are_those_of_numpy(name):
    x = normal(3, 4)
    alike(by_one(FUNCTIONS[name], x), reference(FUNCTIONS[name], x), ulps=2000)


@needs_numba
def test_numbers_come_back_as_what_numpy_returns():
    def fun(x, a, n, flag):
        return a * 2, n + 1, np.sin(a), np.sum(x), np.sum(x.astype(np.float32)), x[0] > a, np.where(flag, n, 2), 1.5

    args = normal(3), 0.5, 7, True
    alike(by_one(fun, *args), reference(fun, *args))


@needs_numba
def test_dtypes_meet_as_in_numpy():
    x, i = normal(4, 3, dtype=np.float32), RNG.integers(-9, 9, (4, 3)).astype(np.int32)

    def fun(x, i):
        u = np.where(i > 0, i, 200).astype(np.uint8)
        return x * i + 1, i * i * 100_000 * 7 + u, u + u, x * np.float32(2), i / 3, np.sum(i, axis=1), i.astype(bool)

    alike(by_one(fun, x, i), reference(fun, x, i))


@needs_numba
def test_infinities_and_nan_go_where_numpy_lets_them_go():
    x = np.array([[np.nan, 1, -np.inf], [np.inf, -0.0, 0.0], [1e38, -1e38, 3]], np.float32)

    def fun(x):
        return (
            np.maximum(x, 0),
            np.max(x, axis=1),
            np.min(x, axis=1),
            np.sum(x),
            np.sign(x),
            x / 0,
            np.max(x[0]),
            np.where(x > 0, x, 0),
        )

    alike(by_one(fun, x), reference(fun, x))
    wide = np.resize(x, (40, 3))
    alike(by_one(fun, wide), reference(fun, wide))


# Loops and branches.


def step(c, x):
    return np.tanh(c * 0.5 + x), np.sum(c) * x


@needs_numba
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("width", [1, 3, 100])
def test_scans(width, reverse):
    def fun(c, xs):
        return scan(step, c, xs, reverse=reverse)

    args = normal(width), normal(7, width)
    alike(by_one(fun, *args), reference(fun, *args))


@needs_numba
@pytest.mark.parametrize("width", [2, 100])
def test_gradients_of_scans(width):
    def fun(c, xs):
        last, rows = scan(step, c, xs)
        return np.sum(last * rows[-1]) + np.sum(rows**2)

    args = normal(width), normal(7, width)
    jitted = jit(value_and_grad(fun))
    assert not jitted.explain(*args).reason
    value, gradient = jitted(*args)
    wanted = value_and_grad(fun)(*args)
    np.testing.assert_allclose(value, wanted[0], rtol=1e-12)
    np.testing.assert_allclose(gradient, wanted[1], rtol=1e-10, atol=1e-12)


@needs_numba
@pytest.mark.parametrize("width", [2, 100])
def test_carries_that_change_places(width):
    def fun(a, b, c):
        return scan(lambda s, _: ((s[1], s[2] + 1, s[0] * 2), s[1]), (a, b, c), length=5)

    args = normal(width), normal(width), normal(width)
    alike(by_one(fun, *args), reference(fun, *args))


@needs_numba
def test_a_carry_that_is_written_in_part():
    def write(k, x):
        x = x + 0
        x[0] = x[1] * 2 + k
        x[1:] = x[:-1] - 1
        return x

    for width in (3, 200):
        args = (normal(width),)
        alike(by_one(lambda x: fori_loop(0, 4, write, x), *args), reference(lambda x: fori_loop(0, 4, write, x), *args))


@needs_numba
def test_loops_in_loops():
    def inner(c, x):
        return fori_loop(0, 3, lambda k, y: np.sin(y) + k * x, c), c[0]

    args = normal(2), normal(4, 2)
    alike(by_one(lambda c, xs: scan(inner, c, xs), *args), reference(lambda c, xs: scan(inner, c, xs), *args))


@needs_numba
@pytest.mark.parametrize("width", [1, 100])
def test_loops_with_a_condition(width):
    def fun(x):
        return while_loop(lambda s: np.sum(s[0]) < 50, lambda s: (s[0] * 1.5 + 1, s[1] + 1), (np.abs(x), 0))

    for x in (normal(width), np.full(width, 100.0)):
        alike(by_one(fun, x), reference(fun, x))


@needs_numba
@pytest.mark.parametrize("width", [2, 100])
def test_branches(width):
    def two(x, y):
        return cond(np.sum(x) > 0, lambda: (x + y, np.sum(x)), lambda: (x * 2, y[0]))

    def three(k, x):
        return switch(k, [lambda x: x, lambda x: x[::-1] * 2, lambda x: np.zeros_like(x)], x)

    x, y = np.abs(normal(width)), normal(width)
    for sign in (1, -1):
        alike(by_one(two, sign * x, y), reference(two, sign * x, y))
    for k in (0, 1, 2):
        alike(by_one(three, k, x), reference(three, k, x))


@needs_numba
def test_an_index_that_is_out_of_range_is_an_error():
    jitted = jit(lambda x, i: np.take(x, i) * 2)
    x = normal(5)
    np.testing.assert_array_equal(jitted(x, np.array([0, -5, 4])), x[[0, 0, 4]] * 2)
    for wrong in (5, -6):
        with pytest.raises(IndexRangeError) as caught:
            jitted(x, np.array([0, wrong, 1]))
        assert "an index is out of range for the axis that it picks from" in str(caught.value)


@needs_numba
def test_threads_do_not_share_memory_to_work_in():
    def fun(x):
        return np.sum(np.exp(x - np.max(x, axis=1, keepdims=True)), axis=0) @ x.T

    jitted = jit(fun)
    inputs = [normal(30, 40) for _ in range(4)]
    wanted = [fun(x) for x in inputs]
    wrong = []

    def work(x, right):
        for _ in range(300):
            found = jitted(x)
            if not np.allclose(found, right):
                wrong.append(found)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(inputs, wanted, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@needs_numba
@pytest.mark.parametrize("key", [np.s_[::-1], np.s_[::-1, 1:2], np.s_[:, ::-1], np.s_[1:]])
def test_parts_that_go_elsewhere_wait_until_what_they_are_added_to_is_there(key):
    def fun(x, y):
        whole = x * y
        part = whole[key]
        return np.sum(part * np.cos(part)) + np.sum(whole * whole * np.arange(3.0))

    x, y = normal(16, 3), normal(16, 3)
    alike(by_one(grad(fun), x, y), reference(grad(fun), x, y), ulps=512)


MOVES = {
    "gradient": lambda x: np.gradient(x, axis=-1),
    "difference": lambda x: np.diff(x, axis=-1, prepend=0.0),
    "rolled": lambda x: np.roll(x, 1, axis=-1),
    "ends": lambda x: np.concatenate([x[:, -1:], x[:, 1:-1] * 2.0, x[:, :1]], axis=-1),
}


@needs_numba
@pytest.mark.parametrize("shape", [(16, 5), (8, 17)])
@pytest.mark.parametrize("move", MOVES)
def test_the_gradient_of_a_loop_reads_carries_before_they_are_replaced(move, shape):
    x, weights = np.random.default_rng(0).normal(size=(2, *shape))

    def loss(x):
        return np.sum(fori_loop(0, 2, lambda k, c: MOVES[move](x) + 0.5 * c, weights) * weights)

    np.testing.assert_allclose(jit(grad(loss))(x), grad(loss)(x), rtol=1e-13, atol=1e-15)


@needs_numba
def test_many_products_of_the_same_sizes_are_calls_of_one_function():
    a = np.random.default_rng(0).normal(size=(12, 9, 9)) / 4

    def chain(a):
        x = a[0]
        for k in range(1, 12):
            x = x @ a[k] + np.eye(9)
        return x

    program = jit(chain)
    np.testing.assert_allclose(program(a), chain(a), rtol=1e-12)
    (kernel,) = program.kernels(a)
    text = printed(str(kernel))
    assert text.count("define internal void @multiply_matrices_float64") == 1
    assert text.count("call void @multiply_matrices_float64") == 11


@needs_numba
def test_a_long_loop_of_python_is_one_kernel():
    def filtered(x):
        move, mean, spread, total = np.array([[1, 0.1], [0, 1.0]]), np.zeros(2), np.eye(2), 0.0
        for k in range(30):
            mean, spread = move @ mean, move @ spread @ move.T + x[0] ** 2 * np.eye(2)
            variance, missed = spread[0, 0] + x[1] ** 2, np.sin(k) - mean[0]
            gain = spread[:, 0] / variance
            mean, spread = mean + gain * missed, spread - np.outer(gain, spread[0])
            total = total + np.log(variance) + missed**2 / variance
        return total

    x = np.array([0.3, 0.5])
    slope = jit(grad(filtered))
    np.testing.assert_allclose(slope(x), grad(filtered)(x), rtol=1e-9)
    assert [e.primitive.name for e in slope.schedule(x).equations] == ["kernel_of_all"]
