"""The host shim: it runs kernels as a GPU may, and finds what they may not do."""

import numpy as np
import pytest

from autodiff.backends.cupy.kernels.kernel import Launch
from tests.backends.cupy.hosting import ORDERS, Failure, Function, Hosted, compiled, load, needs_compiler

pytestmark = needs_compiler

TEXT = r"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef long long int64;

KERNEL __launch_bounds__(64) indices(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
KERNEL values(double* out, bool yes, unsigned char u, int i, int64 l, float f, double d) {
  out[0] = yes, out[1] = u, out[2] = i, out[3] = (double)l, out[4] = (double)f, out[5] = d;
}

// Barriers and shared memory.
KERNEL reversed(const int* x, int* out) {
  extern __shared__ int words[];
  for (int round = 0; round < 3; ++round) {
    words[threadIdx.x] = x[threadIdx.x] + round;
    __syncthreads();
    out[round * blockDim.x + threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
}
KERNEL unguarded(const int* x, int* out) {
  __shared__ int words[64];
  words[threadIdx.x] = x[threadIdx.x];
  out[threadIdx.x] = words[threadIdx.x ^ 33];
}
KERNEL left_over(float* out) {
  __shared__ float words[4];
  if (blockIdx.x == 5) words[threadIdx.x] = 1.0f;
  __syncthreads();
  out[blockIdx.x * 4 + threadIdx.x] = words[threadIdx.x];
}
KERNEL counts(const int* x, int* out) {
  const int yes = x[threadIdx.x] > 0;
  out[threadIdx.x] = __syncthreads_count(yes) * 100 + __syncthreads_or(yes) * 10 + __syncthreads_and(yes);
}
KERNEL early_leavers(int* out) {
  if (threadIdx.x % 3 == 0) return;
  __syncthreads();
  out[threadIdx.x] = __popc(__ballot_sync(0xffffffffu, 1));
}

// Teams of a part of a warp, each of which goes through another number of rounds.
template <int team> __device__ void uneven(const int* x, int* out) {
  const unsigned mask = team == 32 ? 0xffffffffu : ((1u << team) - 1u) << (threadIdx.x % 32 / team * team);
  int total = 0;
  for (int round = 0; round <= int(threadIdx.x) / team % 5; ++round) {
    int value = x[threadIdx.x] + round;
    for (int distance = team / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(mask, value, distance);
    total += value;
    __syncwarp(mask);
  }
  out[threadIdx.x] = total;
}
KERNEL uneven_1(const int* x, int* out) { uneven<1>(x, out); }
KERNEL uneven_2(const int* x, int* out) { uneven<2>(x, out); }
KERNEL uneven_4(const int* x, int* out) { uneven<4>(x, out); }
KERNEL uneven_8(const int* x, int* out) { uneven<8>(x, out); }
KERNEL uneven_16(const int* x, int* out) { uneven<16>(x, out); }
KERNEL uneven_32(const int* x, int* out) { uneven<32>(x, out); }

KERNEL shuffles(const double* x, double* out) {
  const double own = x[threadIdx.x];
  const unsigned all = 0xffffffffu;
  double* to = out + threadIdx.x;
  to[0] = __shfl_sync(all, own, 5), to[32] = __shfl_sync(all, own, threadIdx.x + 3, 8);
  to[64] = __shfl_up_sync(all, own, 3), to[96] = __shfl_up_sync(all, own, 3, 8);
  to[128] = __shfl_down_sync(all, own, 3), to[160] = __shfl_down_sync(all, own, 3, 8);
  to[192] = __shfl_xor_sync(all, own, 9), to[224] = __shfl_xor_sync(all, own, 9, 8);
}
KERNEL votes(const int* x, unsigned* out) {
  const int own = x[threadIdx.x];
  out[threadIdx.x] = __ballot_sync(0xffffffffu, own > 1), out[32 + threadIdx.x] = __match_any_sync(0xffffffffu, own);
  out[64 + threadIdx.x] = __any_sync(0xffffffffu, own > 1) * 10 + __all_sync(0xffffffffu, own > 1);
}

KERNEL atomics(int* i, float* f, double* d, unsigned* u, unsigned long long* l) {
  atomicAdd(i, 2), atomicMax(i + 1, int(threadIdx.x)), atomicMin(i + 2, -int(threadIdx.x)), atomicOr(i + 3, 1 << threadIdx.x % 31);
  atomicSub(i + 4, 1), atomicAnd(i + 5, ~(1 << threadIdx.x % 31)), atomicXor(i + 6, 3);
  atomicAdd(f, 0.5f), atomicAdd(d, 0.25), atomicInc(u, 6u), atomicAdd(l, 1ull);
  if (atomicCAS(u + 1, 0u, 7u) == 0u) atomicExch(u + 2, 9u);
}
KERNEL halves(const float* x, unsigned short* h, unsigned short* b, float* from_h, float* from_b, const unsigned short* bits) {
  const int64 k = blockIdx.x * 256 + threadIdx.x;
  h[k] = __half_as_ushort(__float2half_rn(x[k])), b[k] = __bfloat16_as_ushort(__float2bfloat16_rn(x[k]));
  from_h[k] = __half2float(__ushort_as_half(bits[k])), from_b[k] = __bfloat162float(__ushort_as_bfloat16(bits[k]));
}
KERNEL halves_of_doubles(const double* x, unsigned short* h) {
  h[threadIdx.x] = __half_as_ushort(__double2half(x[threadIdx.x]));
}
KERNEL half_arithmetic(const __half* x, const __half* y, __half* out) {
  out[threadIdx.x] = x[threadIdx.x] * y[threadIdx.x] - x[threadIdx.x];
}

// What may not be.
KERNEL reads_behind(const float* x, float* out) { out[threadIdx.x] = x[threadIdx.x + 1]; }
KERNEL reads_before(const float* x, float* out) { out[threadIdx.x] = x[int(threadIdx.x) - 1]; }
KERNEL writes_behind(const float* x, float* out) { out[threadIdx.x + 1] = x[threadIdx.x]; }
KERNEL writes_before(const float* x, float* out) { out[int(threadIdx.x) - 1] = x[threadIdx.x]; }
KERNEL writes_input(float* x, float* out) { x[threadIdx.x] = 1.0f; }
KERNEL misaligned(const float* x, float* out) { reinterpret_cast<float4*>(out)[threadIdx.x] = *reinterpret_cast<const float4*>(x + 1); }
KERNEL divergent(float* out) {
  if (threadIdx.x < 3) __syncthreads();
  else __syncwarp();
}
KERNEL other_masks(float* out) { __syncwarp(threadIdx.x < 2 ? 11u : 15u); }
KERNEL not_in_mask(float* out) { __syncwarp(1u); }
KERNEL from_outside(float* out) { out[threadIdx.x] = __shfl_xor_sync(15u << (threadIdx.x / 4 * 4), 1.0f, 4); }
KERNEL deep(float* out) { volatile char much[150000]; much[0] = 1; out[0] = much[0]; }
KERNEL divides(const int* x, int* out) { out[0] = x[1] / x[0]; }
KERNEL stops(int* out) { __trap(); }
""".replace("KERNEL", 'extern "C" __global__ void')


@pytest.fixture(scope="module")
def host():
    return Hosted(TEXT)


def launch(function, threads, blocks=1, shared=0):
    return Launch(function, (blocks, 1), threads, shared)


def failure(run):
    with pytest.raises(Failure) as caught:
        run()
    return str(caught.value)


@pytest.mark.parametrize("order", ORDERS)
def test_each_thread_of_each_block_runs_once(host, order):
    out = np.zeros(2 * 3 * 4 * 24, np.int32)
    host["indices"].launch((2, 3, 4), (4, 3, 2), [out], order=order)
    np.testing.assert_array_equal(out, (np.arange(24)[:, None] * 1000 + np.arange(24)).ravel())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("blocks", [1, 2, 7, 97, 1000])
def test_each_block_runs_once(host, blocks, order):
    out = np.zeros(blocks, np.int32)
    host.run(launch("indices", 1, blocks), [out], order)
    np.testing.assert_array_equal(out, np.arange(blocks) * 1000)


def test_arguments_by_value(host):
    out = np.zeros(6)
    given = [out, np.bool(True), np.uint8(200), np.int32(-3), 2**40, np.float32(0.1), 0.1]
    host.run(launch("values", 1), given)
    np.testing.assert_array_equal(out, [1, 200, -3, 2**40, np.float32(0.1), 0.1])
    assert failure(lambda: host.run(launch("values", 1), [*given[:3], 1, *given[4:]])) == (
        "values takes arguments of (8, 1, 1, 4, 8, 4, 8) bytes, not of (8, 1, 1, 8, 8, 4, 8)"
    )


def test_a_library_as_bytes():
    out = np.zeros(3, np.int32)
    library = load(compiled(TEXT))
    Function(library, "indices").launch((1,), (3,), [out])
    np.testing.assert_array_equal(out, [0, 1, 2])
    assert failure(lambda: Function(library, "absent")) == "the library has no kernel absent"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("threads", [1, 7, 32, 33, 1024])
def test_barriers(host, threads, order):
    x, out = np.arange(threads, dtype=np.int32), np.zeros((3, threads), np.int32)
    host.run(launch("reversed", threads, shared=4 * threads), [x, out], order, constant=[0])
    np.testing.assert_array_equal(out, x[::-1] + np.arange(3)[:, None])


@pytest.mark.parametrize("order", ORDERS)
def test_barriers_that_count(host, order):
    x, out = np.arange(-10, 30, dtype=np.int32), np.zeros(40, np.int32)
    host.run(launch("counts", 40), [x, out], order, constant=[0])
    assert set(out) == {29 * 100 + 10}
    host.run(launch("counts", 40), [np.ones(40, np.int32), out], order)
    assert set(out) == {40 * 100 + 11}


@pytest.mark.parametrize("order", ORDERS)
def test_threads_that_have_ended_are_waited_for_no_more(host, order):
    out = np.zeros(32, np.int32)
    host.run(launch("early_leavers", 32), [out], order)
    np.testing.assert_array_equal(out, np.where(np.arange(32) % 3 == 0, 0, 21))


def test_a_missing_barrier_shows_in_some_order(host):
    x, found = np.arange(64, dtype=np.int32), []
    for order in ORDERS:
        out = np.zeros(64, np.int32)
        host.run(launch("unguarded", 64), [x, out], order)
        found.append(np.array_equal(out, x ^ 33))
    assert found == [False, False, False]


def test_shared_memory_is_poisoned_before_each_block(host):
    for order, poison in zip(ORDERS, (0xFF, 0xCB, 0x55)):
        out = np.zeros((8, 4), np.float32)
        host.run(launch("left_over", 4, 8), [out], order)
        expected = np.full((8, 16), poison, np.uint8).view(np.float32)
        expected[5] = 1
        assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("team", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("threads", [32, 96, 256])
def test_teams_that_go_through_different_numbers_of_rounds(host, team, threads, order):
    x, out = np.arange(threads, dtype=np.int32), np.zeros(threads, np.int32)
    host.run(launch(f"uneven_{team}", threads), [x, out], order, constant=[0])
    rounds = np.arange(threads // team) % 5 + 1
    totals = x.reshape(-1, team).sum(1) * rounds + team * rounds * (rounds - 1) // 2
    np.testing.assert_array_equal(out, np.repeat(totals, team))


@pytest.mark.parametrize("order", ORDERS)
def test_shuffles(host, order):
    x, out = np.arange(32.0), np.zeros((8, 32))
    host.run(launch("shuffles", 32), [x, out], order)
    lane = np.arange(32)
    group = lane // 8 * 8
    expected = [
        np.full(32, 5), group + (lane + 3) % 8,
        np.where(lane >= 3, lane - 3, lane), np.where(lane - 3 >= group, lane - 3, lane),
        np.where(lane + 3 < 32, lane + 3, lane), np.where(lane + 3 < group + 8, lane + 3, lane),
        lane ^ 9, np.where(lane ^ 9 < group + 8, lane ^ 9, lane),
    ]  # fmt: skip
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("order", ORDERS)
def test_votes(host, order):
    x = np.arange(32, dtype=np.int32) % 5
    out = np.zeros((3, 32), np.uint32)
    host.run(launch("votes", 32), [x, out], order)
    bits = 1 << np.arange(32, dtype=np.uint64)
    assert set(out[0]) == {np.sum(bits[x > 1])}
    np.testing.assert_array_equal(out[1], [np.sum(bits[x == own]) for own in x])
    assert set(out[2]) == {10}


@pytest.mark.parametrize("order", ORDERS)
def test_atomics(host, order):
    i = np.array([0, 0, 0, 0, 0, -1, 0], np.int32)
    f, d, u, count = np.zeros(1, np.float32), np.zeros(1), np.zeros(3, np.uint32), np.zeros(1, np.uint64)
    host.run(launch("atomics", 64, 3), [i, f, d, u, count], order)
    np.testing.assert_array_equal(i, [384, 63, -63, 2**31 - 1, -192, -(2**31), 0])
    np.testing.assert_array_equal([f[0], d[0], *u, count[0]], [96, 48, 192 % 7, 7, 9, 192])


def test_conversions_of_16_bits(host):
    bits = np.arange(65536, dtype=np.uint16)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2**32, 65536, dtype=np.uint32).view(np.float32)
    x[:40000] = rng.uniform(-1e-6, 1e-6, 40000) * 2.0 ** rng.integers(-6, 38, 40000)
    near = np.arange(0x0000, 0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    x[-2 * near.size + 2 :] = np.concatenate([(near[1:] + near[:-1]) / 2, -near[1:]])  # ties and exact numbers
    h, b = np.zeros(65536, np.uint16), np.zeros(65536, np.uint16)
    from_h, from_b = np.zeros(65536, np.float32), np.zeros(65536, np.float32)
    host.run(launch("halves", 256, 256), [x, h, b, from_h, from_b, bits])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(h.view(np.float16), x.astype(np.float16))
    np.testing.assert_array_equal(from_h, bits.view(np.float16).astype(np.float32))
    np.testing.assert_array_equal(from_b, (bits.astype(np.uint32) << 16).view(np.float32))
    rounded = (b.astype(np.uint32) << 16).view(np.float32)
    finite = np.isfinite(x) & (np.abs(x) < 3e38)
    below, above = (
        ((x.view(np.uint32) >> 16) + k << 16).astype(np.uint32).view(np.float32).astype(float) for k in (0, 1)
    )
    off, least = np.abs(rounded.astype(float) - x), np.minimum(np.abs(x - below), np.abs(x - above))
    np.testing.assert_array_equal(off[finite], least[finite])
    ties = finite & (np.abs(x - below) == np.abs(x - above))
    assert np.all(b[ties] % 2 == 0)
    assert np.all(np.isnan(rounded) == np.isnan(x))


def test_arithmetic_of_16_bits(host):
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, 1024)).astype(np.float16)
    out = np.zeros(1024, np.float16)
    host.run(launch("half_arithmetic", 1024), [x, y, out])
    np.testing.assert_array_equal(out, x * y - x)
    wide = np.concatenate(
        [rng.standard_normal(1000), 1 + 2.0**-11 + np.array([-1, 0, 1]) * 2.0**-40, [1e-7, 1e9, 3e-8]]
    )
    bits = np.zeros(wide.size, np.uint16)
    host.run(launch("halves_of_doubles", wide.size), [wide, bits])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(bits.view(np.float16), wide.astype(np.float16))


@pytest.mark.parametrize(
    ("name", "orders", "message"),
    [
        ("reads_behind", (0, 2), "thread ({last}, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch: 0 bytes after the end of argument 0, which has 32"),
        ("reads_before", (1,), "thread (0, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch: 4 bytes before the start of argument 0"),
        ("writes_behind", (0, 2), "thread ({last}, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch: 0 bytes after the end of argument 1, which has 32"),
        ("writes_behind", (1,), "something was written 0 bytes after the end of argument 1, which has 32"),
        ("writes_before", (0, 2), "something was written 4 bytes before the start of argument 1"),
        ("writes_before", (1,), "thread (0, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch: 4 bytes before the start of argument 1"),
    ],
)  # fmt: skip
def test_memory_beside_arrays(host, name, orders, message):
    for order in orders:
        found = failure(
            lambda order=order: host.run(
                launch(name, 8), [np.zeros(8, np.float32), np.zeros(8, np.float32)], order, constant=[0]
            )
        )
        assert found == f"{name}: {message.format(last=7)}"


def test_reading_behind_what_has_no_whole_packs(host):
    arrays = [np.zeros(7, np.float32), np.zeros(7, np.float32)]
    assert failure(lambda: host.run(launch("reads_behind", 7), arrays, constant=[0], anywhere=True)) == (
        "reads_behind: thread (6, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch: "
        "0 bytes after the end of argument 0, which has 28"
    )


def floats(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("threads", "function", "arguments", "message"),
    [
        (1, "writes_input", (floats(8), floats(8)), "thread (0, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch: 0 bytes after the start of argument 0, which is only read"),
        (1, "misaligned", (floats(8), floats(8)), "thread (0, 0, 0) of block (0, 0, 0) does what C++ leaves undefined: a misaligned pack, or an index outside of an array of fixed size"),
        (8, "divergent", (floats(8),), "deadlock in block (0, 0, 0): of 8 threads 0 have ended, 3 wait in __syncthreads, 5 wait in calls of warps: thread 3 in __syncwarp for the lanes 0xffffffff"),
        (4, "other_masks", (floats(8),), "deadlock in block (0, 0, 0): of 4 threads 0 have ended, 4 wait in calls of warps: thread 0 in __syncwarp for the lanes 0x0000000b"),
        (3, "not_in_mask", (floats(8),), "__syncwarp: lane 1 is not in its own mask, 0x00000001"),
        (8, "from_outside", (floats(8),), "__shfl_xor_sync: lane 0 reads from lane 4, which is not among those that take part, 0x0000000f"),
        (1, "deep", (floats(8),), "thread (0, 0, 0) of block (0, 0, 0) reaches for memory that it may not touch"),
        (1, "divides", (np.zeros(2, np.int32), np.zeros(1, np.int32)), "thread (0, 0, 0) of block (0, 0, 0) divides an integer by zero"),
        (1, "stops", (floats(1),), "thread (0, 0, 0) of block (0, 0, 0) calls __trap"),
        (65, "indices", (floats(1),), "a block of 65 threads, but __launch_bounds__ says 64"),
        (1025, "divergent", (floats(1),), "a block of (1025, 1, 1) threads"),
        (0, "divergent", (floats(1),), "a block of (0, 1, 1) threads"),
    ],
)  # fmt: skip
def test_what_may_not_be(host, threads, function, arguments, message):
    assert (
        failure(lambda: host.run(launch(function, threads), arguments, constant=range(len(arguments) - 1)))
        == f"{function}: {message}"
    )
    out = np.zeros(1, np.int32)
    host.run(launch("indices", 1), [out])  # the shim goes on as before


def test_grids_and_shared_memory_that_no_device_has(host):
    out = floats(1)
    assert (
        failure(lambda: host.run(Launch("indices", (1, 70000), 1), [out])) == "indices: a grid of (1, 70000, 1) blocks"
    )
    assert (
        failure(lambda: host.run(launch("indices", 1, shared=300_000), [out]))
        == "indices: 300000 bytes of dynamic shared memory"
    )
    x = np.zeros(64, np.int32)
    assert failure(lambda: host.run(launch("reversed", 64, shared=252), [x, np.zeros(192, np.int32)])) == (
        "reversed: block (0, 0, 0) writes behind the 252 bytes of its dynamic shared memory"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x[0] * 0.5", "error: implicit conversion from 'float' to 'double' to match other operand of binary expression [-Werror=double-promotion]"),
        ("sqrt(double(x[0]))", "error: conversion from 'double' to 'float' may change value [-Werror=float-conversion]"),
        ("sqroot(x[0])", "error: 'sqroot' was not declared in this scope"),
    ],
)  # fmt: skip
def test_a_float_becomes_no_double_by_itself(text, message):
    found = failure(
        lambda: Hosted(
            f'#line 7 "program.py"\nextern "C" __global__ void f(const float* x, float* y) {{ y[0] = {text}; }}'
        )
    )
    assert found.startswith("g++ does not compile the text of kernels:\nprogram.py: In function")
    assert "program.py:7:" in found
    assert message in found
