"""Numbers of 16 bits in kernels: their conversions, programs of float16 in three orders, bfloat16 where it is there."""

import numpy as np
import pytest

from autodiff import check_tape, grad, jit, make_tape, value_and_grad
from autodiff.backends.cupy.halves import compute_in_float32, store_halves
from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.backends.kernels.halves import narrow
from autodiff.scipy import special
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import ORDERS, hosted, needs_compiler, unavailable
from tests.backends.cupy.nvrtc import ARCHITECTURES, missing, resources
from tests.backends.cupy.running import Programs, plain
from tests.backends.passes.tapes import names

RNG = np.random.default_rng(3)
HALF = np.float16


def array(*shape, dtype=HALF):
    return RNG.uniform(0.1, 1.5, shape).astype(dtype)


# Conversions.

CONVERSIONS = """
extern "C" __global__ void widen_all(const float16* x, float* out, int64 size) {
  for (int64 k = blockIdx.x * 256 + threadIdx.x; k < size; k += gridDim.x * 256) out[k] = cast<float>(x[k]);
}
extern "C" __global__ void narrow_floats(const float* x, float16* out, bfloat16* short_out, int64 size) {
  for (int64 k = blockIdx.x * 256 + threadIdx.x; k < size; k += gridDim.x * 256) {
    out[k] = cast<float16>(x[k]);
    short_out[k] = cast<bfloat16>(x[k]);
  }
}
extern "C" __global__ void narrow_doubles(const double* x, float16* out, int64 size) {
  for (int64 k = blockIdx.x * 256 + threadIdx.x; k < size; k += gridDim.x * 256) out[k] = cast<float16>(x[k]);
}
extern "C" __global__ void narrow_integers(const int64* x, float16* out, int64 size) {
  for (int64 k = blockIdx.x * 256 + threadIdx.x; k < size; k += gridDim.x * 256) out[k] = cast<float16>(x[k]);
}
extern "C" __global__ void widen_short(const bfloat16* x, float* out, int64 size) {
  for (int64 k = blockIdx.x * 256 + threadIdx.x; k < size; k += gridDim.x * 256) out[k] = cast<float>(x[k]);
}
"""


def launch(name, *arrays):
    hosted(CONVERSIONS).run(Launch(name, (2, 1), 256), [*arrays, arrays[0].size])


def same_numbers(found, expected):
    """Whether bits are the same, but for what NaN carries."""
    bits = found.view(np.uint16) == expected.view(np.uint16)
    return bool(np.all(bits | (np.isnan(found) & np.isnan(expected))))


def every_half():
    return np.arange(65536, dtype=np.uint32).astype(np.uint16).view(HALF)


def between_halves():
    """Around every number of 16 bits, and half way to the next one."""
    halves = every_half().astype(np.float32)
    with np.errstate(all="ignore"):
        middle = ((halves.astype(float) + np.nextafter(every_half(), HALF(np.inf)).astype(float)) / 2).astype(
            np.float32
        )
        return np.concatenate(
            [
                f(middle)
                for f in (
                    lambda x: x,
                    lambda x: np.nextafter(x, np.float32(9)),
                    lambda x: np.nextafter(x, np.float32(-9)),
                )
            ]
        )


@needs_compiler
def test_every_number_of_16_bits_is_widened():
    out = np.empty(65536, np.float32)
    launch("widen_all", every_half(), out)
    np.testing.assert_array_equal(out, every_half().astype(np.float32))


@needs_compiler
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_rounding_is_to_the_nearest_and_to_even():
    x = np.concatenate([between_halves(), np.array([1e9, -1e9, np.inf, -np.inf, np.nan, 1e-30, -0.0], np.float32)])
    out, short = np.empty(x.size, HALF), np.empty(x.size, np.uint16)
    launch("narrow_floats", x, out, short)
    assert same_numbers(out, x.astype(HALF))
    bits = x.view(np.uint32).astype(np.uint64)
    nearest = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    np.testing.assert_array_equal(short, np.where(np.isnan(x), 0x7FFF, nearest))


@needs_compiler
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_doubles_and_integers_are_rounded_once():
    x = between_halves().astype(float)
    x = np.concatenate([x, x * (1 + 2.0**-40), x * (1 - 2.0**-40), [1e300, -1e300, 1e-300, np.inf, np.nan]])
    out = np.empty(x.size, HALF)
    launch("narrow_doubles", x, out)
    assert same_numbers(out, x.astype(HALF))
    numbers = np.concatenate([np.arange(-70000, 70000), [2**62, -(2**62)]])
    out = np.empty(numbers.size, HALF)
    launch("narrow_integers", numbers, out)
    assert same_numbers(out, numbers.astype(float).astype(HALF))


@needs_compiler
def test_short_floats_are_widened():
    bits, out = np.arange(65536).astype(np.uint16), np.empty(65536, np.float32)
    launch("widen_short", bits, out)
    np.testing.assert_array_equal(out.view(np.uint32) >> 16, bits)


# Programs.


def softmax(x):
    grown = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)


def cross_entropy(x):
    return -np.mean(special.log_softmax(x, axis=-1)[:, 3])


def layer_norm(x, scale, shift):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-3) * scale + shift


def loss(x, w, b, v, c):
    hidden = np.tanh(x @ w + b)
    return np.mean((hidden @ v + c) ** 2)


def mixed(x, y):
    return x + y, x * 2, x > 1.0, np.where(x > y, x, 0), np.sum(x, axis=-1), np.max(x, axis=0), x.astype(np.float64)


PROGRAMS = {
    "elements":      (lambda x, y: np.tanh(x) * y + x, array(1001), array(1001)),
    "softmax":       (softmax, array(6, 1000)),
    "softmax's own": (lambda x: special.softmax(x, axis=-1) * 2, array(6, 1000)),
    "cross-entropy": (value_and_grad(cross_entropy), array(16, 40)),
    "logsumexp":     (lambda x: special.logsumexp(x, axis=0), array(50, 6)),
    "layer norm":    (grad(lambda *a: np.sum(layer_norm(*a) * 0.1), argnums=(0, 1, 2)), array(64, 96), array(96), array(96)),
    "network":       (value_and_grad(loss, argnums=(0, 1, 2, 3, 4)), array(8, 16), array(16, 32), array(32), array(32, 8), array(8)),
    "mixed":         (mixed, array(20, 33), array(20, 33, dtype=np.float32)),
    "views":         (lambda x, y: np.exp(x.T) * y, array(30, 20), array(20, 30)),
    "square, bias":  (lambda x, b: np.tanh(x + b), array(32, 32), array(32)),
    "shapes":        (lambda x, y: (x.reshape(6, 20) * 2) @ y, array(12, 10), array(20, 3)),
}  # fmt: skip


@pytest.fixture(scope="module")
def programs():
    if reason := unavailable():
        pytest.skip(reason)
    return Programs(PROGRAMS)


def leaves(value):
    return [part for one in value for part in leaves(one)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(programs, name):
    fun, *args = PROGRAMS[name]
    expected = leaves(fun(*(x.astype(float) if x.dtype.kind == "f" else x for x in args)))
    dtypes = [np.asarray(part).dtype for part in leaves(fun(*args))]
    for order in ORDERS:
        found = programs.run(name, *args, order=order)
        assert [part.dtype for part in found] == dtypes
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.astype(float), other, rtol=4e-3, atol=2e-3)


@needs_compiler
def test_what_kernels_hand_on_has_16_bits(programs):
    tape, _ = programs.tapes["network"]
    assert all(s.dtype == HALF for s in tape.specs if s.size > 32)


@needs_compiler
def test_a_bias_beside_a_square_matrix_joins_its_kernel(programs):
    assert programs.names("square, bias") == ["device_kernel"]


def test_kernels_compile_without_spills(programs):
    if reason := missing():
        pytest.skip(reason)
    for architecture in ARCHITECTURES:
        for name, own in resources(f"{programs.module.source}\n{CONVERSIONS}", architecture).items():
            assert not own.spills, (architecture, name)


# Programs of jit, on the stand-in.


def moved(cupy, args):
    return [cupy.asarray(x) if isinstance(x, np.ndarray) else x for x in args]


@needs_compiler
@pytest.mark.parametrize("name", ["network", "mixed"])
def test_jit(cupy, name):
    fun, *args = PROGRAMS[name]
    found = leaves(jit(fun)(*moved(cupy, args)))
    wide = leaves(jit(fun)(*(x.astype(np.float32) for x in args)))
    for one, other, own in zip(found, wide, leaves(fun(*args)), strict=True):
        assert one.dtype == np.asarray(own).dtype
        np.testing.assert_allclose(one.get().astype(float), np.asarray(other, dtype=float), rtol=4e-3, atol=2e-3)


@needs_compiler
def test_sums_overflow_only_where_their_result_does(cupy):
    ones = cupy.ones(60000, HALF)
    assert jit(np.sum)(ones).item() == 60000
    many = cupy.ones(100000, HALF)
    assert jit(np.sum)(many).item() == np.inf
    assert jit(lambda x: np.sum(x) / 5)(many).item() == 20000
    assert jit(np.mean)(many).item() == 1
    assert jit(lambda x: np.sum(x.astype(np.float32)))(many).item() == 100000
    rows = jit(lambda x: np.sum(x, axis=1))(cupy.ones((3, 50000), HALF))
    np.testing.assert_array_equal(rows.get(), HALF(50000))
    columns = jit(lambda x: np.sum(x, axis=0))(cupy.ones((50000, 3), HALF))
    assert columns.dtype == HALF
    np.testing.assert_array_equal(columns.get(), HALF(50000))
    assert jit(np.max)(cupy.full(1000, 65504, HALF)).item() == 65504
    assert jit(lambda x: np.sqrt(np.sum(x * x)))(cupy.full(100, 300, HALF)).item() == 3000


@needs_compiler
def test_gradients_keep_their_dtype(cupy):
    w, x = cupy.asarray(array(4, 3)), cupy.asarray(array(5, 4, dtype=np.float32))
    first, second = jit(grad(lambda w, x: np.sum(np.tanh(x @ w)), argnums=(0, 1)))(w, x)
    assert (first.dtype, second.dtype) == (HALF, np.float32)


@needs_compiler
def test_numbers_and_conversions_are_rounded_where_the_program_says_so(cupy):
    x = cupy.asarray([0.1, 1 / 3], np.float32)
    found = jit(lambda x: x.astype(HALF).astype(np.float32) * 3)(x)
    np.testing.assert_array_equal(found.get(), x.get().astype(HALF).astype(np.float32) * np.float32(3))
    half = cupy.asarray([0.1, 0.5], HALF)
    np.testing.assert_array_equal(jit(lambda x: x == 0.1)(half).get(), [True, False])
    assert jit(lambda x, a: x * a)(half, HALF(0.1)).dtype == HALF


@needs_compiler
def test_a_softmax_of_many_equal_scores_has_finite_logarithms(cupy):
    found = jit(lambda x: special.log_softmax(x, axis=-1))(cupy.zeros((2, 128_256), HALF))
    np.testing.assert_array_equal(found.get(), HALF(-np.log(128_256)))


# bfloat16.


@needs_compiler
def test_bfloat16(cupy):
    short = pytest.importorskip("ml_dtypes", reason="bfloat16 is a dtype of ml_dtypes").bfloat16
    x, y = (RNG.uniform(0.1, 1.5, (8, 8)).astype(short) for _ in range(2))
    one, other = moved(cupy, (x, y))
    wide = x.astype(float), y.astype(float)

    def close(found, wanted):
        assert found.dtype == short
        np.testing.assert_allclose(found.get().astype(float), wanted, rtol=3e-2, atol=1e-2)

    def loss(x, y):
        return np.mean((np.tanh(x @ y) * 0.5 + 1) ** 2)

    close(jit(lambda x, y: np.tanh(x) * y + 2.0)(one, other), np.tanh(wide[0]) * wide[1] + 2)
    for found, wanted in zip(
        jit(grad(loss, argnums=(0, 1)))(one, other), grad(loss, argnums=(0, 1))(*wide), strict=True
    ):
        close(found, wanted)
    close(jit(lambda x: x.astype(np.float32).astype(short))(one), wide[0])
    close(jit(lambda x: np.sum(x, axis=0))(one), wide[0].sum(axis=0))
    assert jit(np.sum)(cupy.ones(1000, short)).item() == 1000


# The pass alone.


def scheduled(fun, *args):
    return schedule_for_gpu(plain(make_tape(fun)(*args)))


def inner(equation):
    return dict(equation.params)["tape"]


def test_a_value_that_a_product_reads_is_stored_once():
    """The kernel of the gradient reads it, too, in place of what the first kernel could compute for it."""
    x, w = array(8, 16), array(16, 4)
    tape = scheduled(grad(lambda x, w: np.sum(np.tanh(np.tanh(x) @ w)), argnums=(0, 1)), x, w)
    check_tape(tape)
    first = tape.equations[0]
    assert first.specs == (spec((8, 16), HALF),)
    assert all(s.dtype == HALF for s in tape.specs)


def test_what_only_kernels_read_is_not_rounded_in_between():
    tape = scheduled(lambda x: softmax(np.tanh(x)), array(8, 16))
    assert names(tape) == ["device_kernel"]
    rounded = [e for e in inner(tape.equations[0]).equations if e.primitive is narrow]
    assert len(rounded) == 1


def test_what_a_function_reads_is_rounded_first():
    tape = scheduled(lambda x: np.tanh(np.fft.rfft(np.tanh(x)).real), array(8, 16))
    assert names(tape) == ["device_kernel", "rfft", "real", "device_kernel"]
    assert tape.equations[0].specs == (spec((8, 16), HALF),)


def test_views_are_read_with_16_bits():
    tape = scheduled(lambda x, y: np.exp(x.T) * y, array(30, 20), array(20, 30))
    (equation,) = tape.equations
    assert [s.dtype for s in inner(equation).inputs] == [HALF, HALF]


def test_other_programs_are_left_alone():
    tape = plain(make_tape(softmax)(array(3, 4, dtype=np.float32)))
    assert compute_in_float32(tape) is tape
    assert store_halves(tape) is tape


@needs_compiler
@pytest.mark.parametrize("name", ["softmax's own", "cross-entropy", "logsumexp"])
def test_rows_of_bfloat16(cupy, name):
    short = pytest.importorskip("ml_dtypes", reason="bfloat16 is a dtype of ml_dtypes").bfloat16
    fun, x = PROGRAMS[name]
    x = x.astype(short)
    found, expected = leaves(jit(fun)(cupy.asarray(x))), leaves(fun(x.astype(float)))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == short
        np.testing.assert_allclose(one.get().astype(float), other, rtol=2e-2, atol=2e-2)


def test_variances_of_bfloat16_are_traced():
    short = pytest.importorskip("ml_dtypes", reason="bfloat16 is a dtype of ml_dtypes").bfloat16
    for fun in (np.var, np.std):
        (out,) = make_tape(fun)(spec((30,), short)).output_specs
        assert out.dtype == short
