"""What goes wrong with programs on GPUs, in words; and that they run afterwards."""

import re
import types

import ml_dtypes
import numpy as np
import pytest

import autodiff
from autodiff import grad, jit
from autodiff.backends import gpu
from autodiff.backends.cupy.runtime import states
from autodiff.backends.cupy.runtime.absent import reason_without_gpu
from autodiff.backends.cupy.runtime.compiling import OPTIONS, KernelCompileError
from autodiff.backends.cupy.runtime.errors import DeviceMemoryError, LaunchError
from autodiff.backends.cupy.runtime.modules import KernelModule, forget_modules
from autodiff.backends.kernels.call import IndexRangeError
from tests.backends.cupy.hosting import needs_compiler
from tests.standin import device, function, memory

pytestmark = needs_compiler
X, W = np.ones((6, 5), np.float32), np.ones((5, 4), np.float32)


def energy(x, w):
    return np.sum(np.tanh(x @ w))


def raised(call, kind):
    with pytest.raises(kind) as error:
        call()
    return re.sub(r"test_jit_errors\.py:\d+", "LINE", str(error.value))


def test_arrays_on_the_host_are_not_moved(cupy):
    for program in (jit(energy), jit(energy, backend="cupy")):
        assert raised(lambda program=program: program(cupy.asarray(X), W), TypeError) == (
            "energy (LINE) runs on a GPU, but one of its arguments is a NumPy array, float32[5,4] (LINE). Nothing is moved "
            "without being asked for: pass cupy.asarray(x), or bring the others to the host with cupy.asnumpy(x)."
        )
    with pytest.raises(TypeError, match=r"^energy \(.*\) runs on a GPU, but one of its arguments is a NumPy array"):
        jit(energy, backend="cupy")(X, W)


def test_numba_is_no_compiler_for_gpus(cupy):
    assert raised(lambda: jit(energy, backend="numba")(cupy.asarray(X), cupy.asarray(W)), TypeError) == (
        "jit: energy (LINE) was made with backend='numba', which compiles for CPUs, and got an array on a GPU (LINE). "
        "Leave backend away, which takes the compiler of where the arrays are, or pass cupy.asnumpy(x)."
    )


@pytest.mark.parametrize("look", ["explain", "schedule", "source", "kernels", "cost", "bind"])
def test_looking_at_a_program_that_nobody_runs_says_so(cupy, look):
    program = jit(energy, backend="numba")
    with pytest.raises(TypeError, match=r"was made with backend='numba', which compiles for CPUs, and got an array on"):
        getattr(program, look)(cupy.asarray(X), cupy.asarray(W))


def test_a_program_runs_on_one_gpu(cupy):
    x = cupy.asarray(X)
    with cupy.cuda.Device(1):
        w = cupy.asarray(W)
    program = jit(energy)
    for _ in range(2):
        assert raised(lambda: program(x, w), ValueError) == (
            "energy (LINE): its arguments are arrays on GPU 0 and on GPU 1 (LINE); a program runs on one GPU. Move them to "
            "one first: cupy.asarray(x) in with cupy.cuda.Device(n), or Variable.to_device."
        )
    with cupy.cuda.Device(1):
        assert program(cupy.asarray(X), w).device.id == 1


WRONG = "the kernel of gather (LINE): an index is out of range for the axis that it picks from"
LATE = (
    "; this was a call before, which nobody has waited for: AUTODIFF_CHECK_INDICES=1 in the environment makes each call "
    "wait, and autodiff.check_indices() asks for all of them"
)


def picking(cupy):
    """A program that picks rows, with indices that are right and wrong."""
    right, wrong = (cupy.asarray(np.array([0, k])) for k in (5, 6))
    return jit(lambda x, i: np.exp(x)[i]), cupy.asarray(X), right, wrong


def test_an_index_out_of_range_is_found_in_the_first_call(cupy):
    program, x, right, wrong = picking(cupy)
    assert raised(lambda: program(x, wrong), IndexRangeError) == WRONG
    assert program(x, right).shape == (2, 5)


def test_an_index_out_of_range_is_found_in_the_next_call_or_when_asked_for(cupy):
    program, x, right, wrong = picking(cupy)
    program(x, right)
    program(x, wrong)
    cupy.cuda.get_current_stream().synchronize()
    assert raised(lambda: program(x, right), IndexRangeError) == WRONG + LATE
    program(x, right)
    program(x, wrong)
    assert raised(autodiff.check_indices, IndexRangeError) == WRONG + LATE
    autodiff.check_indices()
    program(x, wrong)
    cupy.cuda.get_current_stream().synchronize()
    with pytest.warns(RuntimeWarning, match="an index is out of range"):
        states.tell_at_exit()


def test_each_call_waits_where_that_is_asked_for(cupy, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CHECK_INDICES", "1")
    program, x, right, wrong = picking(cupy)
    for _ in range(2):
        program(x, right)
        assert raised(lambda: program(x, wrong), IndexRangeError) == WRONG


def test_calls_with_indices_wait_for_nothing(cupy, monkeypatch):
    program, x, right, _ = picking(cupy)
    for _ in range(6):  # it may be captured meanwhile
        program(x, right)
    waits, synchronize = [], cupy.cuda.Stream.synchronize
    monkeypatch.setattr(cupy.cuda.Stream, "synchronize", lambda stream: (waits.append(stream), synchronize(stream)))
    monkeypatch.setattr(cupy.ndarray, "get", None)
    for _ in range(3):
        program(x, right)
    assert waits == []


def test_memory_that_is_short(cupy, monkeypatch):
    program, short = jit(grad(lambda x: np.sum(np.tanh(x) ** 2))), []
    alloc = memory.alloc

    def scarce(size):
        if short:
            raise cupy.cuda.memory.OutOfMemoryError(
                "Out of memory allocating 512 bytes (allocated so far: 1,024 bytes)."
            )
        return alloc(size)

    monkeypatch.setattr(memory, "alloc", scarce)
    x = cupy.asarray(X)
    program(x)
    short.append(True)
    found = raised(lambda: program(x), DeviceMemoryError)
    assert found == (
        f"the kernel of {found.partition('the kernel of ')[2].partition(' (LINE)')[0]} (LINE): the GPU has no memory left "
        "for results of 120 bytes: Out of memory allocating 512 bytes (allocated so far: 1,024 bytes). Drop arrays that "
        "nobody needs, take smaller batches or autodiff.checkpoint, or give back what CuPy keeps: "
        "cupy.get_default_memory_pool().free_all_blocks(). Arguments are as they were; the program may be called again."
    )
    short.clear()
    assert program(x).shape == X.shape


def test_a_launch_that_cuda_refuses(cupy):
    program = jit(lambda x: np.exp(x) * 2)
    x = cupy.asarray(X)
    program(x)
    function.Launch.refusal = cupy.cuda.driver.CUDADriverError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument")
    assert raised(lambda: program(x), LaunchError) == (
        "the kernel of exp, multiply (LINE): CUDA refuses it: CUDA_ERROR_INVALID_VALUE: invalid argument. If the memory of "
        "arguments is sound, this is a bug of autodiff: please report it. CUDA reports what went wrong earlier, too: "
        "CUDA_LAUNCH_BLOCKING=1 in the environment shows where. After an illegal address nothing runs in this process any "
        "more."
    )
    function.Launch.refusal = None
    np.testing.assert_allclose(program(x).get(), np.exp(X) * 2, rtol=1e-6)


def test_errors_of_cupy_name_the_operation(cupy, monkeypatch):
    program = jit(lambda x: np.linalg.cholesky(x) + 1)
    x = cupy.asarray(-np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match=r"^cholesky \(test_jit_errors.py:\d+\): "):
        program(x)


def test_a_dtype_without_kernels_runs_by_cupy(cupy):
    x = (X + 1j * X).astype(np.complex64)
    program = jit(lambda y: np.abs(y * y))
    np.testing.assert_allclose(program(cupy.asarray(x)).get(), np.abs(x * x), rtol=1e-6)
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cupy.asarray(np.array(["a"]))


@pytest.mark.parametrize("fun", [lambda x: np.tanh(x) * 2, lambda x: x @ x])
def test_bfloat16_on_a_gpu_that_does_not_know_it(cupy, monkeypatch, fun):
    x = cupy.asarray(np.ones((3, 3), ml_dtypes.bfloat16))
    monkeypatch.setattr(device.Device, "compute_capability", "75")
    text = (
        r"^bfloat16 needs a GPU of compute capability 8\.0 or more, and GPU 0 has 7\.5 \(test_jit_errors\.py:\d+\): take "
        "float16 with loss scaling, or float32$"
    )
    with pytest.raises(TypeError, match=text):
        jit(fun)(x)
    jit(fun)(x.astype(np.float32))
    monkeypatch.setattr(device.Device, "compute_capability", "80")
    assert jit(fun)(x).dtype == x.dtype


def test_a_text_that_the_compiler_refuses(cupy, monkeypatch):
    forget_modules()
    monkeypatch.setattr(KernelModule, "add", wrong(KernelModule.add))
    program = jit(lambda x: np.exp(x) * 5)
    found = raised(lambda: program(cupy.asarray(X)), KernelCompileError)
    head, _, rest = found.partition("\n")
    assert head == (
        "NVRTC 0.0 refuses a kernel that autodiff wrote (NVRTC_ERROR_COMPILATION (6)). This is a bug of autodiff: please "
        "report it with this text. Until then the program runs with jit(..., backend='numpy')."
    )
    assert rest.startswith(f"options: {' '.join(OPTIONS)} --gpu-architecture=sm_90\n")
    assert "nonsense" in rest
    assert "__global__" in rest
    assert "#line" not in rest


def wrong(add):
    def added(self, kernel, source=""):
        names = add(self, kernel, source)
        text, launched = self.texts.popitem()
        self.texts[text + "nonsense;\n"] = launched
        return names

    return added


class Broken:
    """CuPy where CUDA does not work."""

    def __init__(self, error=None, count=0, driver=12000, built=12090):
        class CUDARuntimeError(RuntimeError):
            status = error

        def count_devices():
            if error is not None:
                raise CUDARuntimeError("cudaErrorSomething: something")
            return count

        self.is_available = lambda: False
        self.cuda = types.SimpleNamespace(
            runtime=types.SimpleNamespace(
                CUDARuntimeError=CUDARuntimeError, getDeviceCount=count_devices, driverGetVersion=lambda: driver,
                runtimeGetVersion=lambda: built,
            )
        )  # fmt: skip


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (Broken(), "CuPy is installed but finds no GPU"),
        (Broken(error=100), "CuPy is installed but finds no GPU"),
        (Broken(count=1), "CuPy is installed but cannot use its GPU"),
        (Broken(error=35, driver=0), "CuPy is installed but there is no driver for a GPU"),
        (
            Broken(error=35, driver=11080),
            "the driver of the GPU knows CUDA 11.8, but CuPy was built for CUDA 12.9: update the driver, or install a CuPy "
            "for CUDA 11",
        ),
        (Broken(error=999), "CuPy is installed but CUDA says: cudaErrorSomething: something"),
    ],
    ids=["no GPU", "no device", "unusable", "no driver", "old driver", "other"],
)
def test_why_there_is_no_gpu(broken, reason):
    assert reason_without_gpu(broken) == reason


def test_a_program_for_gpus_where_there_is_none(cupy, monkeypatch):
    monkeypatch.setattr(cupy, "is_available", lambda: False)
    gpu.found.cache_clear()
    program = jit(energy, backend="cupy")
    assert raised(lambda: program(X, W), RuntimeError) == (
        "CUDA is not correctly set up (CuPy is installed but cannot use its GPU) (LINE); install CuPy for the version of "
        "CUDA (pip install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
    )
    assert "extern" in str(program.kernels(X, W))  # its kernels can be read all the same
    assert program.source(X, W).startswith("def run(a, b")
