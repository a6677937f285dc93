"""Programs replayed as CUDA graphs: results of one call never change with the next, whatever arguments do.

The stand-in notes what is launched while a stream is captured, runs nothing then, and runs it with the addresses of
then when the graph is launched.
"""

import threading

import numpy as np
import pytest

import autodiff
from autodiff import grad, jit, scan, while_loop
from autodiff.backends.cupy.libraries import blas
from autodiff.backends.cupy.runtime import capturing, graphs, replay
from autodiff.backends.kernels.call import IndexRangeError
from tests.backends.cupy.hosting import needs_compiler
from tests.standin import function
from tests.standin.blas import Library

pytestmark = needs_compiler
RANDOM = np.random.default_rng(3)
ROWS, COLUMNS = 6, 5


@pytest.fixture(autouse=True)
def eager_to_capture(monkeypatch):
    """Small programs are captured too, and after few calls."""
    monkeypatch.setattr(capturing, "REPLAY", 0)
    monkeypatch.setattr(capturing, "COPY", 0)
    monkeypatch.setattr(replay, "LOOKED_AT", 3)
    direct = blas.DirectBlas(Library())
    monkeypatch.setattr(blas, "direct_blas", lambda: direct)


@pytest.fixture
def captured(monkeypatch):
    """The graphs that are made."""
    made = []

    class Noted(graphs.Captured):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(replay, "Captured", Noted)
    return made


def drawn(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def scaled(x, y):
    return np.exp(np.tanh(x) * y), np.sum(x * y)


def check(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-5, atol=1e-6)


def test_results_of_one_call_are_not_those_of_the_next(cupy, captured):
    program = jit(scaled)
    y = drawn(ROWS, COLUMNS)
    on_gpu = cupy.asarray(y)
    kept = []
    for _ in range(8):
        x = drawn(ROWS, COLUMNS)
        there = cupy.asarray(x)
        kept.append((program(there, on_gpu), scaled(x, y), there))  # what is freed would be handed out again
    assert len(captured) == 1
    for found, expected, _ in kept:
        check(found, expected)


def test_arguments_that_stay_are_read_where_they_are(cupy, captured):
    program = jit(scaled)
    x, y = drawn(ROWS, COLUMNS), drawn(ROWS, COLUMNS)
    first, second = cupy.asarray(x), cupy.asarray(y)
    for k in range(6):
        first[...] = cupy.asarray(x + k)  # the same memory
        check(program(first, second), scaled(x + np.float32(k), y))
    assert [graph.moving for graph in captured] == [()]


def test_a_view_that_begins_where_an_argument_began_is_another_argument(cupy, captured):
    program = jit(lambda x: np.exp(np.tanh(x)))
    x = drawn(4, 4)
    on_gpu = cupy.asarray(x)
    for k in range(10):
        found, same = (on_gpu.T, x.T) if k > 5 else (on_gpu, x)
        np.testing.assert_allclose(program(found).get(), np.exp(np.tanh(same)), rtol=1e-6)
    assert [graph.moving for graph in captured] == [(), (0,)]


def test_arguments_that_begin_to_move_are_copied_from_then_on(cupy, captured):
    program = jit(scaled)
    x, y = drawn(ROWS, COLUMNS), drawn(ROWS, COLUMNS)
    first, second = cupy.asarray(x), cupy.asarray(y)
    kept = []
    for k in range(10):
        kept.append(cupy.asarray(x + k) if k > 4 else first)
        check(program(kept[-1], second), scaled(x + np.float32(k if k > 4 else 0), y))
    assert [graph.moving for graph in captured] == [(), (0,)]


def test_results_may_be_the_next_arguments(cupy, captured):
    def step(p, x):
        g = grad(lambda q: np.mean((np.tanh(x @ q) - 1) ** 2))(p)
        return p - 0.5 * g

    program = jit(step)
    p, x = drawn(COLUMNS, 3), drawn(ROWS, COLUMNS)
    on_gpu, fixed = cupy.asarray(p), cupy.asarray(x)
    for _ in range(9):
        on_gpu, p = program(on_gpu, fixed), step(p, x)
        np.testing.assert_allclose(on_gpu.get(), p, rtol=2e-5, atol=1e-6)
    assert captured
    assert program.explain(on_gpu, fixed).replayed == "It runs as a CUDA graph."


def test_an_argument_that_is_a_result_is_the_caller_s(cupy, captured):
    program = jit(lambda x: (x, np.exp(np.tanh(x)), 3.0))
    for _ in range(6):
        x = cupy.asarray(drawn(ROWS))
        found = program(x)
        assert found[0] is x
        assert found[2] == 3.0
    assert captured


def test_a_replay_launches_what_the_program_launches_and_nothing_else(cupy, captured):
    program = jit(lambda x: np.exp(np.sum(np.tanh(x))))
    x = cupy.asarray(drawn(ROWS))
    program(x)
    once = list(function.launched)
    for _ in range(5):
        program(x)
    cupy.cuda.Device().synchronize()
    function.launched.clear()
    program(x)
    cupy.cuda.Device().synchronize()
    assert function.launched == once
    assert len(captured) == 1


def test_every_stream_has_its_own(cupy, captured):
    program = jit(scaled)
    x, y = drawn(ROWS, COLUMNS), drawn(ROWS, COLUMNS)
    first, second = cupy.asarray(x), cupy.asarray(y)
    for stream in (cupy.cuda.Stream(), cupy.cuda.Stream()):
        with stream:
            for _ in range(5):
                check(program(first, second), scaled(x, y))
    assert len(captured) == 2


def test_what_the_user_captures_is_launched_one_by_one(cupy, captured):
    program = jit(scaled)
    x, y = drawn(ROWS, COLUMNS), drawn(ROWS, COLUMNS)
    first, second = cupy.asarray(x), cupy.asarray(y)
    program(first, second)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(6):
            found = program(first, second)
        graph = stream.end_capture()
    assert captured == []
    graph.launch()
    check(found, scaled(x, y))


def test_threads_that_share_a_stream_do_not_meet_in_a_graph(cupy, captured):
    program = jit(scaled)
    x, y = drawn(ROWS, COLUMNS), drawn(ROWS, COLUMNS)
    first, second = cupy.asarray(x), cupy.asarray(y)
    for _ in range(4):
        program(first, second)
    (graph,) = captured
    function.launched.clear()
    with graph.lock:
        check(program(first, second), scaled(x, y))  # as another thread would find it
    failures = []

    def call():
        for k in range(10):
            try:
                check(program(cupy.asarray(x + k), second), scaled(x + np.float32(k), y))
            except AssertionError as error:
                failures.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_indices_are_checked_in_every_replay(cupy, captured):
    program = jit(lambda x, i: np.exp(np.tanh(x))[i] * 2)
    x, right, wrong = cupy.asarray(drawn(ROWS)), cupy.asarray(np.array([0, 5])), cupy.asarray(np.array([0, 6]))
    kept = right.copy()
    for _ in range(5):
        program(x, kept)
    assert captured
    found = r"^the kernel of .*gather.* \(test_jit_graphs.py:\d+\): an index is out of range"
    kept[...] = wrong
    program(x, kept)
    cupy.cuda.get_current_stream().synchronize()
    with pytest.raises(IndexRangeError, match=found):
        program(x, kept)
    program(x, kept)
    with pytest.raises(IndexRangeError, match=found):
        autodiff.check_indices()
    autodiff.check_indices()
    kept[...] = right
    np.testing.assert_allclose(program(x, kept).get(), np.exp(np.tanh(x.get()))[[0, 5]] * 2, rtol=1e-6)


REASONS = {
    "a loop that asks": (
        lambda x: while_loop(lambda y: np.sum(y) < 9, lambda y: y * y + 1, x),
        "while_loop asks values on the GPU how to go on",
    ),
    "a function of CuPy's": (lambda x: np.sort(x) + 1, "argsort is a function of CuPy's that may wait for the GPU"),
    "a view of an argument": (lambda x: (x[1:], np.exp(x)), "a result shows the memory of an argument"),
    "nothing to gain": (
        np.exp,
        "it starts 1 kernels, which costs no more than a graph and copies of 1 arrays of 24 bytes",
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_what_is_not_replayed_says_why(cupy, captured, name, monkeypatch):
    fun, reason = REASONS[name]
    if name == "nothing to gain":
        monkeypatch.setattr(capturing, "REPLAY", 20_000)
    program = jit(fun)
    x = cupy.asarray(np.abs(drawn(ROWS)))
    for _ in range(6):
        program(x)
    assert captured == []
    assert program.explain(x).replayed == f"It is not replayed as a CUDA graph: {reason}."


def test_numbers_that_change_are_not_replayed(cupy, captured):
    program = jit(lambda x, rate: np.exp(np.tanh(x)) * rate)
    x = cupy.asarray(drawn(ROWS))
    for k in range(6):
        np.testing.assert_allclose(program(x, float(k)).get(), np.exp(np.tanh(x.get())) * k, rtol=1e-6)
    assert captured == []
    assert program.explain(x, 1.0).replayed == (
        "It is not replayed as a CUDA graph: a number among its arguments is another one in each call: pass it as an "
        "array on the GPU."
    )


def test_what_cannot_be_captured_runs_on(cupy, captured, monkeypatch):
    program = jit(scaled)
    x, y = drawn(ROWS, COLUMNS), drawn(ROWS, COLUMNS)
    first, second = cupy.asarray(x), cupy.asarray(y)

    def refuse(stream):
        stream._nodes = None
        raise cupy.cuda.runtime.CUDARuntimeError(901, "cudaErrorStreamCaptureInvalidated: operation failed")

    monkeypatch.setattr(cupy.cuda.Stream, "end_capture", refuse)
    for _ in range(6):
        check(program(first, second), scaled(x, y))
    assert captured == []
    assert program.explain(first, second).replayed == (
        "It is not replayed as a CUDA graph: CUDA or CuPy cannot capture it: CUDARuntimeError: "
        "cudaErrorStreamCaptureInvalidated: operation failed."
    )


def test_the_switch(cupy, captured, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CUDA_GRAPHS", "0")
    program = jit(scaled)
    x = cupy.asarray(drawn(ROWS))
    for _ in range(6):
        program(x, x)
    assert captured == []
    assert program.explain(x, x).replayed == (
        "It is not replayed as a CUDA graph: AUTODIFF_CUDA_GRAPHS=0 in the environment."
    )


def test_products_without_their_library_are_not_captured(cupy, captured, monkeypatch):
    monkeypatch.setattr(blas, "direct_blas", lambda: None)
    program = jit(lambda x, w: np.tanh(x @ w))
    x, w = cupy.asarray(drawn(ROWS, COLUMNS)), cupy.asarray(drawn(COLUMNS, 3))
    for _ in range(6):
        program(x, w)
    assert captured == []
    assert program.explain(x, w).replayed == (
        "It is not replayed as a CUDA graph: CuPy refuses cuBLAS while it captures, and its library is not found."
    )


def test_loops_of_known_length_are_part_of_a_graph(cupy, captured):
    def recurrent(start, xs):
        return np.sum(scan(lambda c, x: (np.tanh(c + x), c * x), start, xs)[1])

    program = jit(grad(recurrent, argnums=(0, 1)))
    start, xs = drawn(3), drawn(4, 3)
    first, second = cupy.asarray(start), cupy.asarray(xs)
    for k in range(6):
        second[...] = cupy.asarray(xs + k)
        check(program(first, second), grad(recurrent, argnums=(0, 1))(start, xs + np.float32(k)))
    assert len(captured) == 1


def test_a_graph_of_the_user_s_keeps_the_memory_that_its_kernels_work_in(cupy):
    program = jit(lambda x: np.sum(np.exp(x)))
    x = cupy.asarray(drawn(ROWS))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        found = program(x)
        graph = stream.end_capture()
        np.testing.assert_allclose(program(x).get(), np.sum(np.exp(x.get())), rtol=1e-6)
        x[...] = 1
        graph.launch()
        graph.launch()
        np.testing.assert_allclose(found.get(), ROWS * np.e, rtol=1e-6)
