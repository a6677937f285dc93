"""What runs the tests of kernels on a GPU runs them on the stand-in, too."""

import numpy as np

from autodiff.backends.cupy.kernels.kernel import Launch
from tests.backends.cupy import on_device
from tests.backends.cupy.hosting import needs_compiler, run_kernel
from tests.backends.cupy.operations import Operation
from tests.backends.cupy.running import Programs

pytestmark = needs_compiler
RNG = np.random.default_rng(2)


def test_kernels_of_a_program(cupy):
    x = RNG.normal(size=(50, 33)).astype(np.float32)
    programs = Programs({"sums": (lambda x: (np.mean(np.tanh(x) * 1.7), np.max(x, axis=1)), x)})
    (kernel,) = programs.kernels.values()
    assert "constant" in {parameter.role for parameter in kernel.parameters}  # 1/N, a number of the program
    found = on_device.run_kernel(kernel, x, host=on_device.OnDevice(programs.module.source))
    for one, other in zip(*(sorted(outs, key=np.size) for outs in (found, programs.run("sums", x))), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_kernel_of_an_operation_and_its_status(cupy):
    x = RNG.normal(size=(5, 3)).astype(np.float16)
    for places, status in (([4, 0, 4], 0), ([4, 5, 0], 1)):
        operation = Operation("gather", x, np.array(places), rest=1, chosen=False, status=status)
        (found,) = on_device.run_kernel(operation.kernel, *operation.arrays, status=status)
        (other,) = run_kernel(operation.kernel, *operation.arrays, status=status)
        np.testing.assert_array_equal(found, other)


def test_a_function_on_arrays_of_the_host(cupy):
    text = 'extern "C" __global__ void twice(const float* in, float* out, const int64 size) {\n  const int64 k = '
    text += "blockIdx.x * blockDim.x + threadIdx.x;\n  if (k < size) out[k] = 2 * in[k];\n}\n"
    x, out = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
    on_device.hosted(text).run(Launch("twice", (2, 1), 8), [x, out, np.int64(10)], constant=(0,))
    np.testing.assert_array_equal(out, 2 * x)
