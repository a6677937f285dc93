"""What NVRTC says of a text."""

import pytest

from tests.backends.cupy.nvrtc import ARCHITECTURES, Rejected, Resources, checked, compiled, needs_nvrtc, resources

pytestmark = needs_nvrtc

SMALL = 'extern "C" __global__ void small(const float* x, float* y) { y[threadIdx.x] = 2.0f * x[threadIdx.x]; }\n'
SHARED = """
extern "C" __global__ void reversed(const double* x, double* y) {
  __shared__ double words[64];
  words[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = words[63 - threadIdx.x];
}
"""
SPILLING = """
extern "C" __global__ void __launch_bounds__(1024, 2) crowded(const float* x, float* y) {
  float all[48];
  #pragma unroll
  for (int k = 0; k < 48; ++k) all[k] = x[k * 1024 + threadIdx.x];
  #pragma unroll
  for (int k = 0; k < 48; ++k) all[k] *= all[(k * 5 + 1) % 48];
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < 48; ++k) y[k * 1024 + threadIdx.x] = all[k];
}
"""


def test_resources_of_each_function():
    found = checked(SMALL + SHARED)
    assert set(found) == set(ARCHITECTURES)
    for functions in found.values():
        assert set(functions) == {"small", "reversed"}
        assert functions["reversed"].shared == 64 * 8
        assert functions["small"] == Resources(functions["small"].registers, 0, 0, 0)
        assert 4 <= functions["small"].registers <= 32


def test_spills_are_found():
    assert resources(SPILLING, "sm_90")["crowded"].spills > 0
    with pytest.raises(AssertionError, match=r"^bytes of registers spilled: \{\('sm_80', 'crowded'\): \d+"):
        checked(SPILLING)


def test_errors_name_the_line():
    text = f'#line 12 "program.py"\n{SMALL.replace("2.0f", "two")}'
    with pytest.raises(Rejected) as caught:
        compiled(text, "sm_90")
    assert str(caught.value).splitlines()[0] == 'program.py(12): error: identifier "two" is undefined'


def test_portable_code():
    code, _ = compiled(SMALL, "compute_90")
    assert b".target sm_90" in code
