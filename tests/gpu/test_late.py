"""What is wrong where work is done late: the stand-in's GPU shows it, and autodiff does not do it."""

import numpy as np
import pytest

from autodiff import grad, jit
from autodiff.chainer.dataset import ConcatWithAsyncTransfer
from tests.backends.cupy.hosting import needs_compiler
from tests.standin import streams

SIZE = 64


@pytest.fixture
def late(cupy):
    """A GPU that works when somebody waits for it, and not before."""
    with streams.late():
        yield cupy


def full(cupy, value):
    return cupy.full(SIZE, np.float32(value))


def test_a_stream_that_waits_for_nobody_reads_what_is_not_there_yet(late):
    side, x = late.cuda.Stream(non_blocking=True), full(late, 3)
    with side:
        wrong = x + 1
        side.synchronize()
        assert np.all(np.isnan(wrong.get()))
    side.wait_event(late.cuda.get_current_stream().record())
    with side:
        assert np.all((x + 1).get() == 4)


def test_the_default_stream_and_those_that_block_wait_for_each_other(late):
    side, x = late.cuda.Stream(), full(late, 3)
    with side:
        y = x + 1
    assert np.all((y * 2).get() == 8)


def test_freed_memory_is_handed_out_at_once_in_its_stream_alone(late):
    x = full(late, 3)
    place = x.data.ptr
    del x
    with late.cuda.Stream(non_blocking=True):
        assert late.empty(SIZE, np.float32).data.ptr != place
    y = late.empty(SIZE, np.float32)
    assert y.data.ptr == place
    assert np.all(np.isnan(y.get()))


def test_memory_that_is_read_in_another_stream_must_not_be_freed_before(late):
    def seen(waits):
        compute, copies = late.cuda.get_current_stream(), late.cuda.Stream(non_blocking=True)
        with copies:
            batch = full(late, 1)
            ready = copies.record()
        compute.wait_event(ready)
        result = batch * 2
        if waits:
            copies.wait_event(compute.record())
        del batch
        with copies:
            full(late, 5)
            copies.synchronize()
        return result.get()

    assert np.all(seen(waits=True) == 2)
    assert not np.any(seen(waits=False) == 2)


def test_an_event_waits_for_what_was_before_it(late):
    x = full(late, 1)
    event = late.cuda.get_current_stream().record()
    x[...] = 2
    event.synchronize()
    assert np.all(x._content == 1)
    assert np.all(x.get() == 2)


def test_more_blocks_than_a_grid_has_are_refused(cupy):
    from tests.standin.function import refuse_sizes

    refuse_sizes((2**31 - 1, 65535, 65535), (1024, 1, 1))
    for grid, block in (
        ((1, 65536), (32,)),
        ((1, 1, 65536), (32,)),
        ((2**31,), (32,)),
        ((1,), (1025,)),
        ((1,), (8, 1, 65)),
    ):
        with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
            refuse_sizes(grid, block)


def test_batches_that_are_copied_meanwhile_are_not_overwritten_while_they_are_read(late):
    convert, sums = ConcatWithAsyncTransfer(), []
    for number in range(6):
        batch = convert([np.full(SIZE, number, np.float32)] * 4, 0)
        sums.append(batch.sum())
        del batch
    assert [float(each) for each in sums] == [4 * SIZE * number for number in range(6)]


@needs_compiler
def test_programs_and_their_graphs(late):
    program, x = jit(grad(lambda x, w: np.sum(np.tanh(x @ w) ** 2), (0, 1))), np.linspace(-1, 1, 12).reshape(4, 3)
    w = np.linspace(0.1, 1, 6).reshape(3, 2)
    needed = grad(lambda x, w: np.sum(np.tanh(x @ w) ** 2), (0, 1))(x, w)
    for results in [program(late.asarray(x), late.asarray(w)) for _ in range(8)]:
        for own, right in zip(results, needed, strict=True):
            np.testing.assert_allclose(own.get(), right, rtol=1e-12, atol=1e-14)


@needs_compiler
def test_a_constant_is_there_for_every_stream(late):
    table = np.linspace(0, 1, SIZE, dtype=np.float32)
    program, x = jit(lambda x: x + table), full(late, 0)
    late.cuda.get_current_stream().synchronize()
    with late.cuda.Stream(non_blocking=True):
        program(x)  # copies the constant there, and is not waited for
    with late.cuda.Stream(non_blocking=True):
        np.testing.assert_allclose(program(x).get(), table, rtol=1e-6)


def test_pinned_memory_is_read_when_its_turn_comes(late):
    memory = late.cuda.alloc_pinned_memory(4 * SIZE)
    pinned, plain = np.frombuffer(memory, np.float32, SIZE), np.ones(SIZE, np.float32)
    pinned[...] = 1
    x, y = late.empty(SIZE, np.float32), late.empty(SIZE, np.float32)
    x.set(pinned)
    y.set(plain)
    pinned[...], plain[...] = 2, 2
    assert np.all(x.get() == 2)
    assert np.all(y.get() == 1)
