"""Programs in steady state: what calls share, and that nobody ever sees it."""

import threading
import tracemalloc
from functools import partial

import numpy as np
import pytest

from autodiff import grad, jit, scan, value_and_grad, vmap
from autodiff.backends.choice import NUMPY, numba_is_there
from autodiff.backends.idle import SMALL, WINDOW, Idle
from autodiff.backends.straight import Straight
from autodiff.trace.primitive import general

BACKENDS = ["numpy", pytest.param("numba", marks=pytest.mark.skipif(not numba_is_there(), reason="without Numba"))]
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(200, 300)), RNG.normal(size=(200, 40))
LAYERS = [(RNG.normal(size=(300, 150)) / 20, np.zeros(150)), (RNG.normal(size=(150, 40)) / 20, np.zeros(40))]


def loss(layers, x, y):
    for weights, bias in layers:
        x = np.tanh(x @ weights + bias)
    return np.mean((x - y) ** 2)


def step(layers, x, y):
    value, slopes = value_and_grad(loss)(layers, x, y)
    return value, [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(layers, slopes, strict=True)]


def soft(x):
    shares = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((shares / np.sum(shares, axis=1, keepdims=True)) ** 2, axis=0)


def straight_of(jitted, *args):
    return jitted.recorded(args, {})[0].program.straight


def highest(function, *args):
    """The bytes by which a call exceeds what there was before at its peak."""
    for _ in range(4):
        results = function(*args)
    tracemalloc.start()
    try:
        results = function(*args)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        results = function(*args)
        return tracemalloc.get_traced_memory()[1] - before, results
    finally:
        tracemalloc.stop()


def size_of(results):
    if isinstance(results, np.ndarray):
        return results.nbytes
    return sum(map(size_of, results)) if isinstance(results, (tuple, list)) else 0


PROGRAMS = {
    "a training step": (step, (LAYERS, X, Y)),
    "rows": (soft, (X,)),
    "a gradient of rows": (grad(lambda x: np.sum(soft(x))), (X,)),
    "numbers out of arrays": (lambda x: (np.sum(np.exp(x) * x), np.max(np.sin(x) + 1)), (X,)),
    "products": (lambda x, w: (np.tanh(x @ w).T @ x)[:2], (X, LAYERS[0][0])),
    "a batch": (vmap(lambda row, w: np.sum(np.tanh(row @ w) ** 2), (0, None)), (X, LAYERS[0][0])),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_takes_no_memory_but_that_of_its_results(name, backend):
    function, args = PROGRAMS[name]
    jitted = jit(function, backend=backend)
    peak, results = highest(jitted, *args)
    eager, _ = highest(function, *args)
    assert peak <= size_of(results) + 80_000  # NumPy has a buffer of 8192 elements where operands are broadcast
    assert eager > size_of(results) + 100_000  # what is compared counts for something


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_share_memory_with_nothing(name, backend):
    function, args = PROGRAMS[name]
    jitted = jit(function, backend=backend)
    first = jitted(*args)
    found = [*arrays(first)]
    kept = [array.copy() for array in found]
    found += arrays(jitted(*args))
    straight = straight_of(jitted, *args)
    rooms = [array for workspace in straight.workspace.idle for array in workspace]
    inputs = [*arrays(args)]
    for k, array in enumerate(found):
        assert not any(np.may_share_memory(array, room) for room in rooms)
        assert not any(np.shares_memory(array, other) for other in (*found[:k], *inputs))
    for array, before in zip(found, kept, strict=False):
        np.testing.assert_array_equal(array, before)


def arrays(tree):
    if isinstance(tree, np.ndarray):
        yield tree
    elif isinstance(tree, (tuple, list)):
        for part in tree:
            yield from arrays(part)


@pytest.mark.parametrize("backend", BACKENDS)
def test_four_threads_in_one_program(backend):
    jitted = jit(step, backend=backend)
    layers = [(LAYERS[0][0][:30], LAYERS[0][1]), LAYERS[1]]
    inputs = [(layers, X[:50, :30] + k, Y[:50]) for k in range(4)]
    wanted = [[array.copy() for array in arrays(jitted(*args))] for args in inputs]
    wrong, start = [], threading.Barrier(4)

    def work(number, rounds):
        start.wait()
        for _ in range(rounds):
            found = [*arrays(jitted(*inputs[number]))]
            if not all(map(np.array_equal, found, wanted[number])):
                wrong.append(number)

    def run(rounds):
        threads = [threading.Thread(target=work, args=(number, rounds)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    run(10)
    workspace = straight_of(jitted, *inputs[0]).workspace
    idle = set(map(id, workspace.idle))
    run(10)
    made = set(map(id, workspace.idle)) - idle
    assert wrong == []
    assert 1 <= len(workspace.idle) <= 4
    assert len(made | idle) <= 4


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_that_calls_itself_through_a_callback(backend):
    def countdown(n, x):
        return x if n < 1 else jitted(n - 1.0, x * 1.5)

    callback = general(
        "calls_back", ("n", "x"), lambda n, x: countdown(float(n), x).copy(), lambda n, x: x, {}, register=False
    )

    def fun(n, x, call=callback):
        grown = np.tanh(x @ W)
        deeper = call(n, grown)
        return np.exp(-grown) * deeper + grown @ W + np.sum(deeper, axis=0)

    def eager(n, x):
        return fun(n, x, lambda n, x: x if n < 1 else eager(n - 1.0, x * 1.5))

    jitted = jit(fun, backend=backend)
    x = RNG.normal(size=(6000, 60))  # so large that kernels of rows take less time than one for all around the call
    for depth in (0.0, 1.0, 3.0, 5.0):
        np.testing.assert_allclose(jitted(depth, x), eager(depth, x), rtol=1e-9)
    idle = straight_of(jitted, 5.0, x).workspace.idle
    assert len(idle) == 6
    np.testing.assert_allclose(jitted(5.0, x), eager(5.0, x), rtol=1e-9)
    assert len(idle) == 6


W = RNG.normal(size=(60, 60)) / 8


def test_an_error_gives_the_workspace_back():
    def failing(x):
        if x[0, 0] > 100:
            raise ValueError("too large")
        return x.copy()

    fails = general("fails", ("x",), failing, lambda x: x, {}, register=False)
    jitted = jit(lambda x: np.sin(fails(np.exp(x) * 2)) @ (np.cos(x) + 1), backend="numpy")
    x = np.ones((50, 50))
    expected = jitted(x)
    (workspace,) = straight_of(jitted, x).workspace.idle
    for _ in range(3):
        with pytest.raises(ValueError, match="too large"):
            jitted(x * 100)
        assert straight_of(jitted, x).workspace.idle == [workspace]
    np.testing.assert_array_equal(jitted(x), expected)


def test_an_error_says_which_line_of_the_users_it_was():
    def failing(x):
        raise ValueError("no")

    fails = general("fails, later", ("x",), failing, lambda x: x, {}, register=False)

    def fun(x):
        y = np.exp(x.T).T + 1
        return fails(y) * 2  # this line

    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        jit(fun, backend="numpy")(X)
    line = fun.__code__.co_firstlineno + 2
    assert str(caught.value) == f"fails, later (test_workspace.py:{line}): no"


def test_what_a_callback_keeps_stays_as_it_is():
    kept = []

    def keep(x):
        kept.append(x)
        return x * 2

    keeps = general("keeps", ("x",), keep, lambda x: x, {}, register=False)
    jitted = jit(lambda x: np.sin(keeps(np.exp(x)[1:])) + 1, backend="numpy")
    for k in range(3):
        jitted(X + k)
    for k, array in enumerate(kept):
        np.testing.assert_array_equal(array, np.exp(X + k)[1:])


class Marked(np.ndarray):
    pass


def test_arrays_of_other_kinds_are_computed_with_as_they_are():
    tape = jit(lambda x, w: np.exp(x @ w) * 2, backend="numpy").tape(X, LAYERS[0][0])
    straight = Straight(tape, NUMPY)
    (plain,) = straight.run(X, LAYERS[0][0])
    (marked,) = straight.run(X.view(Marked), LAYERS[0][0])
    assert (type(plain), type(marked)) == (np.ndarray, Marked)
    np.testing.assert_array_equal(plain, marked)


def test_layouts_of_arguments():
    jitted = jit(soft, backend="numpy")
    for x in (np.asfortranarray(X), X[::2], X[:, ::-1], X.T):
        np.testing.assert_allclose(jitted(x), soft(x), rtol=1e-12)


def test_bodies_of_loops_share_theirs_too():
    def fun(x, xs):
        def body(carry, row):
            moved = np.tanh(carry @ W) + row
            return np.sin(moved) * 2, np.sum(moved * moved)

        return scan(body, x, xs)

    x, xs = RNG.normal(size=(40, 60)), RNG.normal(size=(9, 60))
    found = jit(fun, backend="numpy")(x, xs)
    expected = fun(x, xs)
    np.testing.assert_allclose(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1])


def test_views_are_made_once():
    jitted = jit(lambda x: np.exp(x).T[3:] @ x, backend="numpy")
    jitted(X)
    assert straight_of(jitted, X).source == (
        "def run(a, room_b, d):\n"
        "    b = exp_1(a, out=room_b)\n"
        "    e = matmul_1(d, a, out=new_e())\n"
        "    del a\n"
        "    return (e, )\n"
    )


def test_large_workspaces_are_kept_while_they_are_used():
    idle = Idle()

    def call(make=object):
        try:
            return idle.pop()
        except IndexError:
            return (make(),)

    for _ in range(3):
        busy = [call() for _ in range(5)]
        for workspace in busy:
            idle.append(workspace)
        assert len(idle) == 5
    for _ in range(2 * WINDOW):
        idle.append(call())
    assert len(idle) == 1
    two = [call(), call()]
    for workspace in two:
        idle.append(workspace)
    for _ in range(WINDOW // 2):
        busy = [call(), call()]
        for workspace in busy:
            idle.append(workspace)
    assert len(idle) == 2


def test_programs_choose_by_the_size_of_their_workspaces():
    small, large = jit(partial(np.linalg.norm), backend="numpy"), jit(lambda x: np.exp(x) @ x.T, backend="numpy")
    small(X)
    assert type(straight_of(small, X).workspace.idle) is list
    x = np.ones((4, SMALL // 16))
    large(x)
    assert type(straight_of(large, x).workspace.idle) is Idle
    assert len(straight_of(large, x).workspace.idle) == 1
