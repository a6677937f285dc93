"""Pooling as kernels: every bit as NumPy has it, and which operations become kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff
from autodiff import make_tape
from autodiff.backends.kernels.windows.pooling import parts_of, unsupported, window_call
from autodiff.backends.passes.fusion.windows import with_windows
from autodiff.backends.straight import Straight
from autodiff.chainer import functions
from autodiff.ops.images.windows import (
    first_positions,
    lay_in_windows,
    max_windows,
    pick_from_windows,
    spread_windows,
    sum_windows,
)
from autodiff.trace.errors import AutodiffError
from autodiff.trace.spec import spec_of
from tests.backends.kernels.running import names, needs_numba

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def every_size(monkeypatch):
    monkeypatch.setattr("autodiff.backends.kernels.windows.pooling.FEW", 0)


def numbers(random, shape, dtype):
    """Some of few numbers, so that many are equal, with infinities and NaN among them."""
    found = random.integers(-3, 4, shape).astype(dtype) / 3
    odd = random.random(shape)
    found[odd < 0.05] = np.nan
    found[(odd > 0.05) & (odd < 0.1)] = -np.inf
    found[found == 0] = 0
    return found


@st.composite
def windows(draw, ranks=(1, 2, 3), most=24):
    """Lengths of images, shapes and strides of windows, before them the axes of the images."""
    rank = draw(st.sampled_from(ranks))
    shape = tuple(draw(st.integers(1, (9, 5, 3)[rank - 1])) for _ in range(rank))
    stride = tuple(draw(st.integers(1, width + 2)) for width in shape)
    lengths = tuple(draw(st.integers(width, max(width, most // rank))) for width in shape)
    return draw(st.sampled_from([(), (1,), (2, 3)])), lengths, shape, stride


def same_bits(found, wanted):
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found)[found == found], np.signbit(wanted)[found == found])


def run(fun, *arrays):
    """What kernels give, and the names of the operations."""
    tape = with_windows(make_tape(fun)(*arrays))
    return Straight(tape).run(*arrays), names(tape)


KERNEL = ["kernel_of_windows"]
DRAWS = settings(max_examples=15, deadline=None)


@needs_numba
class TestBits:
    @DRAWS
    @given(windows(), st.sampled_from(["f4", "f8"]), st.integers(0, 9))
    def test_from_images_to_windows(self, case, dtype, seed):
        lead, lengths, shape, stride = case
        random = np.random.default_rng(seed)
        x = numbers(random, (*lead, *lengths), dtype)
        params = {"shape": shape, "stride": stride}
        largest = max_windows(x, **params)
        places = first_positions(x, largest, **params)
        for fun, *arrays in (
            (lambda x: max_windows(x, **params), x),
            (lambda x, e: first_positions(x, e, **params), x, largest),
            (lambda x, e: first_positions(x, e, **params), x, numbers(random, largest.shape, dtype)),
            (lambda x: sum_windows(x, **params), x),
            (lambda x, p: pick_from_windows(x, p, **params), x, places),
        ):
            (found,), operations = run(fun, *arrays)
            assert operations == KERNEL
            same_bits(found, fun(*arrays))
        both, operations = run(lambda x: (m := max_windows(x, **params), first_positions(x, m, **params)), x)
        assert operations == KERNEL
        same_bits(both[0], largest)
        same_bits(both[1], places)

    @DRAWS
    @given(windows(), st.sampled_from(["f4", "f8"]), st.integers(0, 9))
    def test_from_windows_to_images(self, case, dtype, seed):
        lead, lengths, shape, stride = case
        random = np.random.default_rng(seed)
        largest = max_windows(np.zeros((*lead, *lengths), dtype), shape=shape, stride=stride)
        g = random.normal(size=largest.shape).astype(dtype)
        g[random.random(g.shape) < 0.1] = -0.0
        places = random.integers(0, np.prod(shape), g.shape).astype(np.uint8)
        mask = random.random((*lead, *lengths)) < 0.5
        params = {"lengths": lengths, "shape": shape, "stride": stride}

        def masked(g, places, mask):
            return np.where(mask, lay_in_windows(g, places, **params), 0.0)

        laid = lay_in_windows(g, places, **params)
        for fun, *arrays in ((lambda g, p: lay_in_windows(g, p, **params), g, places), (masked, g, places, mask)):
            (found,), operations = run(fun, *arrays)
            assert operations == KERNEL
            same_bits(found, np.where(mask, laid, laid.dtype.type(0)) if len(arrays) == 3 else laid)
        (found,), operations = run(lambda g: spread_windows(g, **params), g)
        assert operations == KERNEL
        wanted = spread_windows(g, **params)
        if len(shape) < 3:
            same_bits(found, wanted)
        else:  # sums of sums, in another order
            np.testing.assert_allclose(found, wanted, rtol=0, atol=30 * np.finfo(dtype).eps)


@needs_numba
class TestPrograms:
    def test_maxima_come_with_positions_and_gradients_are_masked(self):
        x = RNG.normal(size=(4, 3, 12, 10)).astype(np.float32)

        def loss(x):
            return np.sum(np.tanh(max_windows(np.maximum(x, 0), shape=(2, 2), stride=(2, 2))))

        step = autodiff.jit(autodiff.grad(loss))
        np.testing.assert_allclose(step(x), autodiff.grad(loss)(x), rtol=1e-6, atol=1e-6)
        done = names(step.schedule(x))
        assert done.count("kernel_of_windows") == 2
        assert not {"max_windows", "first_positions", "lay_in_windows", "where"} & set(done)
        assert "12 images, one thread" in str(step.kernels(x))
        assert "max_windows, first_positions" in str(step.kernels(x))

    @pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
    def test_padding_is_never_chosen(self, odd):
        x = RNG.normal(size=(2, 3, 9, 8))
        x[0, 1] = odd
        x[1, 2, ::2] = odd

        def value_and_gradient(x):
            return autodiff.vjp(lambda x: functions.max_pooling_2d(x, 3, stride=2, pad=1), x)

        def both(x):
            y, back = value_and_gradient(x)
            return y, *back(np.cos(np.arange(y.size).reshape(y.shape)))

        for found, wanted in zip(autodiff.jit(both)(x), both(x), strict=True):
            np.testing.assert_array_equal(found, wanted)

    def test_means(self):
        x = RNG.normal(size=(2, 3, 9, 8))

        def mean(x):
            return np.sum(functions.average_pooling_2d(x, 3, stride=2, pad=1) ** 3)

        step = autodiff.jit(autodiff.grad(mean))
        np.testing.assert_allclose(step(x), autodiff.grad(mean)(x), rtol=1e-12, atol=1e-14)
        assert names(step.schedule(x)).count("kernel_of_windows") >= 2


PARAMS = {"shape": (2, 3), "stride": (2, 2)}


@needs_numba
class TestCalls:
    def test_operands_lie_in_memory_as_they_like(self):
        x = RNG.normal(size=(4, 3, 9, 8))
        call = Straight(with_windows(make_tape(lambda x: max_windows(x, **PARAMS))(x)))
        for array in (np.asfortranarray(x), np.repeat(x, 2, -1)[..., ::2], x[::-1], x.astype(">f8")):
            (found,) = call.run(array)
            same_bits(found, max_windows(np.ascontiguousarray(array, np.float64), **PARAMS))

    def test_threads_change_no_bit(self):
        x = RNG.normal(size=(96, 3, 40, 36)).astype(np.float32)
        tape = with_windows(make_tape(lambda x: sum_windows(x, **PARAMS))(x))
        assert parts_of(dict(tape.equations[0].params)["tape"]) > 1
        before = autodiff.get_num_threads()
        try:
            for number in (1, 2, 3):
                autodiff.set_num_threads(number)
                same_bits(Straight(tape).run(x)[0], sum_windows(x, **PARAMS))
        finally:
            autodiff.set_num_threads(before)

    def test_a_position_out_of_range_is_an_error(self):
        x, g = np.ones((2, 9, 8)), np.ones((2, 4, 3))
        places = np.zeros((2, 4, 3), np.uint8)
        places[1, 3, 2] = 6
        for fun, array in (
            (lambda x, p: pick_from_windows(x, p, **PARAMS), x),
            (lambda g, p: lay_in_windows(g, p, lengths=(9, 8), **PARAMS), g),
        ):
            run = Straight(with_windows(make_tape(fun)(array, places))).run
            with pytest.raises(AutodiffError, match=r"^an index is out of range for the axis that it picks from$"):
                run(array, places)
            places[1, 3, 2] = 5
            same_bits(run(array, places)[0], fun(array, places))
            places[1, 3, 2] = 6

    def test_wrong_operands_are_refused(self):
        x = np.ones((4, 9, 8))
        tape = with_windows(make_tape(lambda x: max_windows(x, **PARAMS))(x))
        call = window_call(tape=dict(tape.equations[0].params)["tape"]).call
        with pytest.raises(
            ValueError, match=r"^an array has the shape \(2,\) where the program was recorded for \(4, 9, 8\): "
        ):
            call(np.ones(2)[::-1])


def test_what_stays_as_it_is():
    x, p = np.ones((2, 6, 6)), {"shape": (2, 2), "stride": (2, 2)}
    for fun in (
        lambda x: (m := max_windows(x, **p), first_positions(x + 1, m, **p)),
        lambda x: (m := max_windows(x, **p), first_positions(x, m, shape=(2, 2), stride=(2, 1))[..., :1]),
    ):
        assert names(with_windows(make_tape(fun)(x))).count("kernel_of_windows") == 2
    laid = max_windows(x, **p), np.zeros((2, 3, 3), np.uint8), x > 0
    for fun in (
        lambda g, p, m: np.where(m, lay(g, p), 1.0),
        lambda g, p, m: np.where(m, lay(g, p), -0.0),
        lambda g, p, m: np.where(m, 0.0, lay(g, p)),
        lambda g, p, m: (at := lay(g, p), np.where(m, at, 0.0)),
        lambda g, p, m: np.where(m[..., :1], lay(g, p), 0.0),
    ):
        assert names(with_windows(make_tape(fun)(*laid)))[-1] == "where"


def lay(g, places):
    return lay_in_windows(g, places, lengths=(6, 6), shape=(2, 2), stride=(2, 2))


def reason(fun, *arrays):
    *_, equation = make_tape(fun)(*arrays).equations
    return unsupported(equation, [spec_of(array) for array in arrays])


def test_reasons_against_a_kernel(monkeypatch):
    monkeypatch.setattr("autodiff.backends.kernels.windows.pooling.FEW", 1 << 13)
    x, p = np.ones((4, 9, 64, 64)), {"shape": (2, 2), "stride": (2, 2)}
    assert reason(lambda x: max_windows(x, **p), x) == ""
    assert reason(np.sin, x) == "it has no windows"
    assert reason(lambda x: max_windows(x, **p), x[:, :, :8, :8]) == "it has 2304 pixels: a kernel pays from 8192 on"
    assert (
        reason(lambda x: max_windows(x, shape=(9, 9), stride=(1, 1)), x)
        == "its windows have 81 elements: kernels take 1 to 64"
    )
    assert (
        reason(lambda x: max_windows(x, **p), x.astype(np.float16))
        == "float16[4,9,64,64] is no array of float32 or float64, nor one of positions as uint8"
    )
    one = {"shape": (1, 1), "stride": (1, 1)}
    assert reason(lambda x: first_positions(x, x, **one), x) == "an operand is there twice"
    small = max_windows(x, **p).astype(np.float32)
    assert (
        reason(lambda x, m: first_positions(x, m, **p), x, small)
        == "its operands are not all float32 or all float64 arrays"
    )
