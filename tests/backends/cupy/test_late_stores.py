"""Blocks side by side, which see what others have stored only behind a fence: what GPUs do, and blocks in turn never do."""

import numpy as np
import pytest

from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.prelude import prelude
from tests.backends.cupy.fences import Fenced
from tests.backends.cupy.hosting import ORDERS, Hosted, hosted, needs_compiler
from tests.backends.cupy.running import Programs

pytestmark = needs_compiler
RNG = np.random.default_rng(5)
BLOCKS = 6
TOTAL = """
extern "C" __global__ void total(const float* in, float* parts, uint32* counter, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) parts[blockIdx.x] = in[blockIdx.x];
  FENCE
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last || threadIdx.x) return;
  float sum = 0;
  for (int k = 0; k < gridDim.x; ++k) sum += parts[k];
  out[0] = sum;
}
"""
COUNTED = """
extern "C" __global__ void counted(uint32* counter) {
  const uint32 before = atomicAdd(counter, 0u);
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(counter, before + 1);
}
"""
X = RNG.normal(size=(70, 3000)).astype(np.float32)
PROGRAMS = {
    "total": (lambda x: np.sum(np.exp(-x * x)), X),
    "sum over rows": (lambda x: np.sum(np.tanh(x), axis=0), X),
    "long rows": (lambda x: np.sum(x * x, axis=1), X[:2]),
    "largest": (lambda x: np.max(x), X),
    "scan": (lambda x: np.cumsum(x, axis=1), X[:3]),
    "places": (lambda x, i: np.tanh(x[i]), X[:, :40], RNG.integers(0, 70, 300)),
}


def summed(fence, order, late):
    memory = [
        Fenced("in", np.arange(BLOCKS, dtype=np.float32), order, constant=True),
        Fenced("parts", np.full(BLOCKS, np.nan, np.float32), order),
        Fenced("counter", np.zeros(1, np.uint32), order),
        Fenced("out", np.zeros(1, np.float32), order),
    ]
    hosted(TOTAL.replace("FENCE", fence)).run_fenced(Launch("total", (BLOCKS,), 32), memory, order, late)
    return memory[3].contents()[0]


@pytest.mark.parametrize("order", ORDERS)
def test_a_missing_fence_shows(order):
    assert summed("", order, late=False) == 15
    assert np.isnan(summed("", order, late=True))
    assert summed("__threadfence();", order, late=True) == 15


def test_what_happens_between_two_atomic_operations_shows():
    counts = []
    for late in (False, True):
        counter = Fenced("counter", np.zeros(1, np.uint32))
        hosted(COUNTED).run_fenced(Launch("counted", (BLOCKS,), 32), [counter], 0, late)
        counts.append(int(counter.contents()[0]))
    assert counts[0] == BLOCKS
    assert 1 <= counts[1] < BLOCKS


@pytest.fixture(scope="module")
def programs():
    return Programs(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels_wait_for_each_other_s_stores(programs, name):
    _, *arguments = PROGRAMS[name]
    for one, other in zip(programs.run(name, *arguments, late=True), programs.run(name, *arguments), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_prelude_without_its_fences_is_wrong(programs, monkeypatch):
    text = programs.module.source
    assert prelude() in text
    without = Hosted(text.replace("__threadfence();", ""))
    monkeypatch.setattr(Programs, "host", property(lambda self: without))
    (found,) = programs.run("total", X, late=True)
    monkeypatch.undo()
    assert not np.array_equal(found, *programs.run("total", X))
