"""Donated arguments of captured programs: the graph reads them where they lie and writes results there."""

import gc
from collections import Counter

import numpy as np
import pytest

import autodiff
from autodiff import jit, make_tape, value_and_grad
from autodiff.backends.cupy.libraries import blas
from autodiff.backends.cupy.runtime import replay
from autodiff.backends.cupy.runtime.capturing import why_not_worth
from autodiff.backends.cupy.runtime.donating import partners_of
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import needs_compiler
from tests.backends.cupy.running import plain
from tests.standin.blas import Library

pytestmark = needs_compiler
RANDOM = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def direct_products(monkeypatch):
    direct = blas.DirectBlas(Library())
    monkeypatch.setattr(blas, "direct_blas", lambda: direct)


@pytest.fixture
def captured(monkeypatch):
    """The graphs that are made."""
    made = []

    class Noted(replay.Captured):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(replay, "Captured", Noted)
    return made


@pytest.fixture
def copies(cupy, monkeypatch):
    """How many arrays are copied, and how many bytes of them."""
    counts = Counter()
    copy, assign = cupy.ndarray.copy, cupy.ndarray.__setitem__

    def counted(function, array, *args, **kwargs):
        counts["arrays"] += 1
        counts["bytes"] += array.nbytes
        return function(array, *args, **kwargs)

    monkeypatch.setattr(cupy.ndarray, "copy", lambda array, *args, **kwargs: counted(copy, array, *args, **kwargs))
    monkeypatch.setattr(cupy.ndarray, "__setitem__", lambda array, *args: counted(assign, array, *args))
    return counts


def drawn(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def loss(parameters, x, y):
    for w, b in parameters:
        x = np.tanh(x @ w + b)
    return np.mean((x - y) ** 2)


def descent(parameters, x, y):
    """A step of gradient descent."""
    value, gradients = value_and_grad(loss)(parameters, x, y)
    return value, autodiff.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)


def adam(state, x, y):
    """A step of Adam, without the correction of its first steps."""
    parameters, first, second = state
    value, gradients = value_and_grad(loss)(parameters, x, y)
    first = autodiff.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = autodiff.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, gradients)
    after = autodiff.tree.map(lambda p, m, v: p - 0.01 * m / (np.sqrt(v) + 1e-6), parameters, first, second)
    return value, (after, first, second)


PARAMETERS = [(drawn(5, 7), drawn(7)), (drawn(7, 3), drawn(3))]
ZEROS = autodiff.tree.map(np.zeros_like, PARAMETERS)
X, Y = drawn(16, 5), drawn(16, 3)
STEPS = {"descent": (descent, PARAMETERS), "adam": (adam, (PARAMETERS, ZEROS, ZEROS))}


def on_gpu(cupy, tree):
    return autodiff.tree.map(cupy.asarray, tree)


def same(found, expected):
    for one, other in zip(autodiff.tree.leaves(found), autodiff.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", STEPS)
def test_a_training_step_is_a_graph_and_moves_only_its_loss(cupy, captured, copies, name):
    step, state = STEPS[name]
    program, x, y = jit(step, donate_argnums=0), cupy.asarray(X), cupy.asarray(Y)
    there = on_gpu(cupy, state)
    for _ in range(12):
        copies.clear()
        value, there = program(there, x, y)
        expected, state = step(state, X, Y)
        same((value, there), (expected, state))
    assert len(captured) == 1
    assert captured[0].moving == ()
    assert dict(copies) == {"arrays": 1, "bytes": 4}


def test_what_is_not_donated_is_copied_in_and_out(cupy, captured, copies):
    program, x, y = jit(descent), cupy.asarray(X), cupy.asarray(Y)
    there = on_gpu(cupy, PARAMETERS)
    for _ in range(8):
        copies.clear()
        _, there = program(there, x, y)
    size = sum(leaf.nbytes for leaf in autodiff.tree.leaves(PARAMETERS))
    assert dict(copies) == {"arrays": 9, "bytes": 2 * size + 4}


def scheduled(fun, *args):
    return schedule_for_gpu(plain(make_tape(fun)(*args)))


def test_steps_of_optimizers_are_written_where_they_are_read():
    tape = scheduled(adam, (PARAMETERS, ZEROS, ZEROS), X, Y)
    found = partners_of(tape, range(12))
    assert found.leaves == {place: place - 1 for place in range(1, 13)}
    assert found.copied(tape) == {}
    assert why_not_worth(tape, [], found.leaves) == ""


def test_what_keeps_a_gpu_busy_is_started_kernel_by_kernel():
    """Python is ahead of the GPU then, and a graph would only keep memory."""

    def two_kernels(x):
        return np.cumsum(np.tanh(x), axis=1)

    reason = "the GPU works longer than it takes to start its 2 kernels"
    assert why_not_worth(scheduled(two_kernels, spec((1 << 14, 1 << 13), np.float32)), []) == reason
    assert reason not in why_not_worth(scheduled(two_kernels, spec((64, 64), np.float32)), [])


@pytest.mark.parametrize(
    ("dtype", "level", "busy"),
    [
        (np.float32, "highest", True),
        (np.float64, "high", True),
        (np.float32, "high", False),
        (np.float16, "highest", False),
    ],
)
def test_products_keep_a_gpu_busy_unless_tensor_cores_do_them(dtype, level, busy):
    autodiff.set_matmul_precision(level)
    try:
        product = scheduled(lambda x: x @ x, spec((1024, 1024), dtype))
        assert why_not_worth(product, []).startswith("the GPU works longer") == busy
    finally:
        autodiff.set_matmul_precision("highest")


def test_what_others_still_read_is_written_at_the_end(cupy, captured, monkeypatch):
    def crossed(a, b, x):
        c = np.cumsum(a + b, axis=0)
        return np.tanh(c + b), np.tanh(np.cumsum(c, axis=1) * a), np.sum(np.cumsum(np.sin(c) * a, axis=0) * b)

    monkeypatch.setattr(replay, "why_not_worth", lambda *args: "")
    found = partners_of(scheduled(crossed, X, X, X), (0, 1))
    assert set(found.leaves) == {0, 1}
    assert len(found.direct) < 2
    program, x = jit(crossed, donate_argnums=(0, 1)), cupy.asarray(X)
    a, b = X, X + 1
    first, second = cupy.asarray(a), cupy.asarray(b)
    for _ in range(9):
        first, second, total = program(first, second, x)
        a, b, wanted = crossed(a, b, X)
        np.testing.assert_allclose(first.get(), a, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(second.get(), b, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(total.get(), wanted, rtol=1e-3, atol=1e-2)
    assert captured


@pytest.mark.parametrize("turns", [False, True])
def test_results_that_trade_places(cupy, captured, monkeypatch, turns):
    monkeypatch.setattr(replay, "why_not_worth", lambda *args: "")
    fun = (lambda a, b: (b.T * 2, a + 1)) if turns else (lambda a, b: (b * 2, a + 1))
    program = jit(fun, donate_argnums=(0, 1))
    a, b = np.arange(9, dtype=np.float32).reshape(3, 3), np.ones((3, 3), np.float32)
    first, second = cupy.asarray(a), cupy.asarray(b)
    for _ in range(9):
        (first, second), (a, b) = program(first, second), fun(a, b)
        same((first, second), (a, b))
    assert captured[0].moving == ()


def test_memory_that_another_argument_shows_is_not_written_to(cupy, captured, monkeypatch):
    monkeypatch.setattr(replay, "why_not_worth", lambda *args: "")
    program = jit(lambda p, x: p - 0.5 * x, donate_argnums=0)
    p = cupy.asarray(X)
    for _ in range(6):
        same(program(p, p), 0.5 * X)
        same(p, X)
    whole = cupy.asarray(X)
    for _ in range(6):
        same(program(whole[2:], cupy.asarray(X[2:])), 0.5 * X[2:])
    same(whole, X)


def test_arguments_that_do_not_come_again_are_copied(cupy, captured, monkeypatch):
    monkeypatch.setattr(replay, "why_not_worth", lambda *args: "")
    program, x = jit(lambda p, x: p - 0.5 * x, donate_argnums=0), cupy.asarray(X)
    kept, arguments = [], [cupy.asarray(X + k) for k in range(12)]  # each lies elsewhere
    for k, argument in enumerate(arguments):
        kept.append((k, program(argument, x)))
    for k, found in kept:
        same(found, X + np.float32(k) - np.float32(0.5) * X)
    assert [graph.moving for graph in captured] == [(), (0,)]


def test_another_program_in_between_does_not_end_a_graph(cupy, captured):
    program = jit(descent, donate_argnums=0)
    there, state = on_gpu(cupy, PARAMETERS), PARAMETERS
    batches = {count: (cupy.asarray(X[:count]), cupy.asarray(Y[:count])) for count in (16, 9)}
    for _ in range(5):
        for count in (*[16] * 11, 9):
            value, there = program(there, *batches[count])
            expected, state = descent(state, X[:count], Y[:count])
            same((value, there), (expected, state))
    assert 2 <= len(captured) <= 3  # one for each size, and one more if somebody still held results of the first
    assert all(graph.partners.leaves for graph in captured)


def test_a_loop_that_begins_anew_has_its_state_copied_to_the_graph(cupy, captured, copies):
    program, x, y = jit(descent, donate_argnums=0), cupy.asarray(X), cupy.asarray(Y)
    for begin in range(4):
        gc.collect()  # nobody holds results of the loop before
        state = autodiff.tree.map(lambda leaf, k=begin: leaf + np.float32(k), PARAMETERS)
        there = on_gpu(cupy, state)
        for _ in range(7):
            value, there = program(there, x, y)
            expected, state = descent(state, X, Y)
            same((value, there), (expected, state))
        del there
    assert len(captured) <= 2
    assert sum(graph.replays for graph in captured) >= 4 + 2 * 7  # from the fourth call on
    gc.collect()
    copies.clear()
    program(on_gpu(cupy, PARAMETERS), x, y)
    assert dict(copies) == {"arrays": 4 + 1, "bytes": sum(leaf.nbytes for pair in PARAMETERS for leaf in pair) + 4}


@pytest.mark.parametrize("held", ["results", "a view", "results of another graph"])
def test_results_that_somebody_holds_are_not_written_over(cupy, captured, held):
    program, x, y = jit(descent, donate_argnums=0), cupy.asarray(X), cupy.asarray(Y)
    other = jit(lambda p: autodiff.tree.map(lambda leaf: 2 * leaf, p), donate_argnums=0)
    state, there = PARAMETERS, on_gpu(cupy, PARAMETERS)
    for _ in range(7):
        _, there = program(there, x, y)
        _, state = descent(state, X, Y)
    if held == "results of another graph":
        kept, state = other(there), autodiff.tree.map(lambda leaf: 2 * leaf, state)
    else:
        kept = [(w[1:], b) for w, b in there] if held == "a view" else there
        state = [(w[1:], b) for w, b in state] if held == "a view" else state
    del there
    expected = descent(PARAMETERS, X, Y)
    for _ in range(6):  # each lies elsewhere
        same(program(on_gpu(cupy, PARAMETERS), x, y), expected)
    same(kept, state)
