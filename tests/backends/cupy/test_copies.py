"""Copies in C order by kernels: whatever an array shows, and by words as large as its rows allow."""

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff.backends.cupy.kernels.strides import View
from autodiff.backends.cupy.libraries import convolutions, copies
from autodiff.backends.cupy.libraries.copies import in_order, view_of, widest
from autodiff.backends.cupy.schedule import schedule_for_gpu
from tests.backends.cupy.hosting import needs_compiler
from tests.backends.cupy.running import plain
from tests.standin import function

RNG = np.random.default_rng(4)

VIEWS = {
    "transposed": lambda x: x.T,
    "two axes exchanged, rows whole": lambda x: x.swapaxes(0, 1),
    "heads of a transformer": lambda x: x.reshape(6, 8, 2, 20).transpose(0, 2, 1, 3),
    "every other column": lambda x: x[..., ::2],
    "backwards": lambda x: x[::-1, :, ::-1],
    "a part of rows": lambda x: x[:, 1:, 3:11],
    "a part of rows, whole packs": lambda x: x[:, 1:, 4:20],
    "one column": lambda x: x[:, :, 5],
    "in C order already": lambda x: x,
}
DTYPES = ("?", "u1", "f2", "f4", "f8", "c16")


@pytest.fixture(autouse=True)
def everything(monkeypatch):
    monkeypatch.setattr(copies, "LEAST", 0)


@needs_compiler
@pytest.mark.parametrize("name", VIEWS)
def test_copies_are_what_arrays_show(cupy, name):
    for dtype in DTYPES:
        host = RNG.integers(0, 100, (6, 8, 40)).astype(dtype)
        x = VIEWS[name](cupy.asarray(host))
        given = cupy.full(x.shape, 7, dtype)
        for found in (in_order(x), in_order(x, given)):
            assert found.flags.c_contiguous
            assert found.dtype == dtype
            np.testing.assert_array_equal(found.get(), VIEWS[name](host))
        np.testing.assert_array_equal(given.get(), VIEWS[name](host))


@needs_compiler
def test_broadcasts_and_windows(cupy):
    host = RNG.normal(size=(5, 1, 7))
    x = cupy.broadcast_to(cupy.asarray(host), (3, 5, 4, 7))
    np.testing.assert_array_equal(in_order(x).get(), np.broadcast_to(host, (3, 5, 4, 7)))
    windows = cupy.lib.stride_tricks.as_strided(cupy.arange(20.0), (16, 5), (8, 8))
    np.testing.assert_array_equal(in_order(windows).get(), np.add.outer(np.arange(16), np.arange(5)))


@needs_compiler
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_elements_that_begin_anywhere(cupy, dtype):
    memory, size = RNG.integers(0, 64, 2000).astype("u1"), np.dtype(dtype).itemsize
    for place, apart in ((1, size), (size // 2, size), (0, size + 1), (0, size + size // 2)):
        host = np.lib.stride_tricks.as_strided(
            memory[place : place + 20 * size].view(dtype), (5, 3), (3 * apart, apart)
        )
        moved = cupy.asarray(memory)[place : place + 20 * size].view(dtype)
        x = cupy.lib.stride_tricks.as_strided(moved, (5, 3), (3 * apart, apart))
        given = cupy.full(x.shape, 7, dtype)
        for found in (in_order(x), in_order(x, given)):
            assert found.get().tobytes() == np.ascontiguousarray(host).tobytes()


def test_arrays_without_elements_and_numbers(cupy):
    for shape in ((0, 3), (3, 0), ()):
        found = in_order(cupy.zeros(shape).T)
        assert found.shape == shape[::-1]


@pytest.mark.parametrize(
    ("view", "itemsize", "place", "size"),
    [
        (View(0, (4, 8), (20, 1)), 4, 0, 16),
        (View(0, (4, 8), (20, 1)), 4, 8, 8),  # begins at a multiple of 8
        (View(0, (4, 8), (21, 1)), 4, 0, 4),  # rows begin anywhere
        (View(0, (4, 6), (20, 1)), 4, 0, 8),  # rows end within a pack
        (View(0, (4, 8), (20, 2)), 4, 0, 4),
        (View(0, (4, 8), (1, 4)), 4, 0, 4),
        (View(0, (4, 8), (-16, 1)), 2, 0, 16),
        (View(0, (4, 8), (0, 1)), 8, 0, 16),  # a broadcast
        (View(0, (4, 8), (20, 1)), 16, 0, 16),
    ],
)
def test_words_are_as_large_as_rows_allow(view, itemsize, place, size):
    assert widest(view, itemsize, place) == size


def test_axes_are_joined():
    assert view_of((2, 3, 4, 5), (60, 20, 5, 1)) == View(0, (120,), (1,))
    assert view_of((2, 1, 4, 5), (60, 7, 15, 3)) == View(0, (40,), (3,))
    assert view_of((6, 2, 8, 20), (320, 20, 40, 1)) == View(0, (6, 2, 8, 20), (320, 20, 40, 1))


@needs_compiler
def test_layouts_that_differ_in_sizes_are_one_kernel(cupy):
    function.launched.clear()
    for lengths in ((6, 8, 40), (5, 12, 44)):
        in_order(cupy.zeros(lengths, "f4").swapaxes(0, 1))
    assert len(function.launched) == 2
    assert len({name for name, _ in function.launched}) == 1


@needs_compiler
def test_reshaping_copies_what_lies_otherwise(cupy):
    host = RNG.normal(size=(6, 8, 40))
    x, y = cupy.asarray(host).swapaxes(0, 1), host.swapaxes(0, 1)
    function.launched.clear()
    for shape, copied in (((48, 40), True), ((8, 6, 5, 8), False), ((8, 240), True)):
        before = len(function.launched)
        found = copies.reshaped(x, shape=shape)
        np.testing.assert_array_equal(found.get(), y.reshape(shape))
        assert np.shares_memory(found._content, x._content) != copied
        assert len(function.launched) == before + copied


@needs_compiler
def test_what_is_reshaped_twice_is_copied_once(cupy):
    def heads(x, w, v):
        merged = np.transpose(x, (1, 0, 2)) * 1.0
        merged = np.transpose(np.exp(merged), (1, 0, 2))
        return merged.reshape(6, 320) @ w, merged.reshape(48, 40) @ v

    x, w, v = RNG.normal(size=(6, 8, 40)), RNG.normal(size=(320, 3)), RNG.normal(size=(40, 3))
    tape = schedule_for_gpu(plain(autodiff.make_tape(heads)(x, w, v)))
    reshapes = [e for e in tape.equations if e.primitive.name == "reshape"]
    assert len(reshapes) == 2
    assert reshapes[1].operands == reshapes[0].results
    found = autodiff.jit(heads)(*map(cupy.asarray, (x, w, v)))
    for one, other in zip(found, heads(x, w, v), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-12)


@needs_compiler
def test_results_do_not_share_a_copy(cupy):
    program = autodiff.jit(lambda x: (np.sin(x).T.reshape(-1), np.sin(x).T.reshape(4, -1)))
    one, other = program(cupy.asarray(RNG.normal(size=(6, 8))))
    assert not np.shares_memory(one._content, other._content)


@needs_compiler
def test_columns_of_convolutions_are_copied_by_kernels(cupy, monkeypatch):
    def loss(x, w):
        return np.sum(np.tanh(F.convolution_2d(x, w, pad=1)))

    x, w = RNG.normal(size=(2, 3, 8, 8)), RNG.normal(size=(4, 3, 3, 3))
    counted = []
    monkeypatch.setattr(convolutions, "in_order", lambda *arrays: counted.append(arrays) or in_order(*arrays))
    found = autodiff.jit(autodiff.grad(loss, (0, 1)))(cupy.asarray(x), cupy.asarray(w))
    for one, other in zip(found, autodiff.grad(loss, (0, 1))(x, w), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-9, atol=1e-9)
    assert len(counted) == 4  # the columns of three convolutions, and results with images behind channels
