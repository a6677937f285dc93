"""Reductions of teams and of whole grids, and packs of elements, on the host in three orders."""

import numpy as np
import pytest

from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.prelude import prelude
from tests.backends.cupy.hosting import ORDERS, Hosted, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc

pytestmark = needs_compiler

TYPES = {"bool": "bool", "uint8": "uint8", "int32": "int32", "int64": "int64", "float32": "float", "float64": "double"}
OPERATIONS = {
    "Sum": np.add, "Product": np.multiply, "Largest": np.maximum, "Smallest": np.minimum, "Any": np.logical_or,
    "All": np.logical_and,
}  # fmt: skip
TEAMS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
BLOCKS = (1, 2, 7, 300)

TEXT = """
template <int team, class T> __device__ __forceinline__ void teams(const T* x, int64 rows, T* out) {
  const int64 size = rows * team, teams = blockDim.x / team;
  for (int64 row = blockIdx.x * teams + threadIdx.x / team; row < rows; row += gridDim.x * teams) {
    const int64 k = row * team + threadIdx.x % team;
    const T value = x[k];
    out[k] = reduce_team<Sum, team>(value), out[size + k] = reduce_team<Product, team>(value);
    out[2 * size + k] = reduce_team<Largest, team>(value), out[3 * size + k] = reduce_team<Smallest, team>(value);
    if constexpr (sizeof(T) == 1 && T(2) == T(1))  // of booleans alone
      out[4 * size + k] = reduce_team<Any, team>(value), out[5 * size + k] = reduce_team<All, team>(value);
  }
}
template <class Op, int threads, class T> __device__ __forceinline__ void total(
    const T* x, int64 size, T start, T* parts, uint32* counter, T* out) {
  T value = start;
  for (int64 k = int64(block_number()) * threads + threadIdx.x; k < size; k += int64(block_count()) * threads)
    value = Op::of(value, x[k]);
  value = reduce_team<Op, threads>(value);
  if (threadIdx.x == 0) parts[block_number()] = value;
  if (last_block(counter)) {
    const T found = finish_total<T, Op, threads>(parts, start);
    if (threadIdx.x == 0) *out = found;
  }
}
template <class T, int width> __device__ __forceinline__ void packs(const T* x, const T* y, T* out, int64 size) {
  const int64 whole = aligned<width>(x) && aligned<width>(y) && aligned<width>(out) ? size / width * width : 0;
  const int64 thread = int64(blockIdx.x) * blockDim.x + threadIdx.x, step = int64(gridDim.x) * blockDim.x;
  for (int64 k = thread * width; k < whole; k += step * width) {
    const Pack<T, width> a = load_pack<width>(x + k), b = load_pack<width>(y + k);
    Pack<T, width> sum;
    for (int e = 0; e < width; ++e) sum[e] = a[e] + b[e];
    store_pack(out + k, sum);
  }
  for (int64 k = whole + thread; k < size; k += step) out[k] = x[k] + y[k];
}
"""


def team_kernel(name, team):
    kind = TYPES[name]
    return (
        f'extern "C" __global__ void teams_{name}_{team}(const {kind}* x, int64 rows, {kind}* out) {{\n'
        f"  teams<{team}>(x, rows, out);\n}}\n"
    )


def total_kernel(op, name):
    kind = TYPES[name]
    return (
        f'extern "C" __global__ void total_{op}_{name}(const {kind}* x, int64 size, {kind} start, {kind}* parts, '
        f"uint32* counter, {kind}* out) {{\n  total<{op}, 64>(x, size, start, parts, counter, out);\n}}\n"
    )


def pack_kernel(name, width):
    kind = TYPES[name]
    return (
        f'extern "C" __global__ void packs_{name}_{width}(const {kind}* x, const {kind}* y, {kind}* out, int64 size) {{\n'
        f"  packs<{kind}, {width}>(x, y, out, size);\n}}\n"
    )


TOTALS = [
    ("Sum", "float32", 0), ("Sum", "float64", 0), ("Largest", "float32", -np.inf), ("Smallest", "int64", 2**63 - 1),
    ("Any", "bool", False), ("All", "bool", True), ("Product", "uint8", 1),
]  # fmt: skip
PACKS = [(name, width) for name in TYPES for width in (1, 2, 4, 8, 16) if width <= 4 or name in ("bool", "uint8")]


@pytest.fixture(scope="module")
def host():
    kernels = [team_kernel(name, team) for name in TYPES for team in TEAMS]
    kernels += [total_kernel(op, name) for op, name, _ in TOTALS] + [pack_kernel(*pack) for pack in PACKS]
    return Hosted("".join((prelude(), TEXT, *kernels)))


def numbers(dtype, size, seed):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(size) < 0.5
    if dtype.startswith("float"):
        return rng.uniform(-1.2, 1.2, size).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, size, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize("dtype", TYPES)
def test_every_team_gets_its_reductions(host, dtype, team):
    """Blocks of teams that do not fill the last warp, and teams that have one row more than others."""
    threads = team if team > 32 else 5 * team if team < 32 else 96
    blocks, rows = (2, 3) if team > 32 else (2, 25)
    x = numbers(dtype, (rows, team), team)
    if dtype.startswith("float") and team > 2:
        x[1, team // 2], x[2, 1] = np.nan, np.inf
    found = []
    for order in ORDERS:
        out = np.zeros((6, rows, team), x.dtype)
        host.run(Launch(f"teams_{dtype}_{team}", (blocks, 1), threads), [x, rows, out], order, constant=(0,))
        found.append(out)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    for one, (name, operation) in list(zip(found[0], OPERATIONS.items()))[: 6 if dtype == "bool" else 4]:
        assert one.tobytes() == np.repeat(one[:, :1], team, 1).tobytes(), name  # all threads have the same bits
        rounded = dtype.startswith("float") and name in ("Sum", "Product")
        wide = x.astype(np.float64) if rounded else x
        with np.errstate(invalid="ignore", over="ignore"):
            expected = operation.reduce(wide, axis=1, dtype=wide.dtype)
            size = np.abs(wide).sum(1) if name == "Sum" else np.abs(expected)
        np.testing.assert_array_equal(np.isfinite(one[:, 0]), np.isfinite(expected))
        near = np.isfinite(expected)
        limit = size[near] * np.finfo(x.dtype).eps * 12 if rounded else 0
        if rounded and name == "Product":
            limit = limit * team / 4 + np.finfo(x.dtype).tiny
        with np.errstate(over="ignore"):
            off = np.abs(one[near, 0].astype(np.longdouble) - expected[near].astype(np.longdouble))
        assert np.all(off <= limit), name


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize(("operation", "dtype", "start"), TOTALS)
def test_totals_by_the_last_block(host, operation, dtype, start, blocks):
    along = 2 if blocks == 300 else 1
    for size in (0, 1, 63, 5000):
        x = numbers(dtype, size, size) if dtype != "uint8" else numbers(dtype, size, size) | 1
        found = []
        for order in ORDERS:
            parts, counter, out = np.zeros(blocks, x.dtype), np.zeros(1, np.uint32), np.zeros(1, x.dtype)
            launch = Launch(f"total_{operation}_{dtype}", (blocks // along, along), 64)
            host.run(launch, [x, size, x.dtype.type(start), parts, counter, out], order, constant=(0,))
            assert counter[0] == 0
            found.append(out)
        assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
        expected = OPERATIONS[operation].reduce(
            x.astype(np.float64) if operation == "Sum" else x,
            initial=start,
            dtype=None if operation == "Sum" else x.dtype,
        )
        if operation == "Sum":
            np.testing.assert_allclose(out[0], expected, atol=np.finfo(x.dtype).eps * 20 * max(1, np.abs(x).sum()) / 8)
        else:
            assert out[0] == expected


@pytest.mark.parametrize(("dtype", "width"), PACKS)
def test_packs(host, dtype, width):
    for size in (0, 1, width, 3 * width + 1, 1000):
        x, y = numbers(dtype, size, 1), numbers(dtype, size, 2)
        for order in ORDERS:
            out = np.zeros(size, x.dtype)
            host.run(
                Launch(f"packs_{dtype}_{width}", (2, 1), 32), [x, y, out, size], order, (0, 1), anywhere=order == 2
            )
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(out, x + y)


@needs_nvrtc
def test_reductions_compile_for_all_architectures():
    teams = [("float32", 4), ("bool", 16), ("uint8", 64), ("float64", 1024)]
    kernels = [team_kernel(*one) for one in teams] + [total_kernel("Sum", "float32"), total_kernel("All", "bool")]
    kernels += [pack_kernel("float32", 4), pack_kernel("bool", 16), pack_kernel("float64", 2)]
    for found in checked("".join((prelude(), TEXT, *kernels))).values():
        assert found["teams_float64_1024"].shared == 4 * 8 * 32
        assert found["teams_float32_4"].shared == 0
