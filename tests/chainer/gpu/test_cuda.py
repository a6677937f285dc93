"""``chainer.cuda`` passes through to CuPy, and hooks watch functions on GPUs, with a stand-in for CuPy that has two."""

import io
import types

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import functions as F
from autodiff.chainer.backends import cuda
from autodiff.chainer.function_hooks import CUDAProfileHook, CupyMemoryProfileHook, TimerHook
from autodiff.chainer.link_hooks import TimerHook as LinkTimerHook
from tests.chainer.gpu.user_kernels import NEEDS_COMPILER, kernels
from tests.standin import memory

__all__ = ["kernels"]


def test_names_are_those_of_cupy(cupy):
    assert chainer.cuda is cuda
    assert (cuda.available, cuda.cudnn_enabled, cuda.cupy) == (True, False, cupy)
    assert (cuda.ndarray, cuda.Device, cuda.Event, cuda.Stream) == (
        cupy.ndarray, cupy.cuda.Device, cupy.cuda.Event, cupy.cuda.Stream,
    )  # fmt: skip
    assert cuda.check_cuda_available() is None
    assert cuda.Stream.null is cupy.cuda.Stream.null
    assert not cuda.should_use_cudnn("==always")


def test_modules_and_devices(cupy):
    here, there = cuda.to_gpu(np.ones(2)), cuda.to_gpu(np.ones(2), device=1)
    assert cuda.get_array_module(here) is cuda.get_array_module(np.ones(2), chainer.Variable(there)) is cupy
    assert cuda.get_array_module(np.ones(2)) is np
    assert (cuda.get_device_from_id(1), cuda.get_device_from_id(-1)) == (cuda.Device(1), cuda.DummyDevice)
    assert cuda.get_device_from_array(there, here) == cuda.Device(1)
    with cuda.get_device_from_array(there):
        assert cuda.Device().id == 1
        with cuda.get_device_from_id(0):
            assert cuda.to_gpu(np.ones(1)).device.id == 0
    with pytest.warns(DeprecationWarning, match=r"^cuda.get_device is deprecated"):
        assert cuda.get_device(there) == cuda.Device(1)
    cuda.Device(1).use()
    assert cuda.to_gpu(np.ones(1)).device.id == 1


def test_devices_of_updaters_stand_for_the_numbers_of_chainer_5(cupy):
    device = chainer.get_device(1)
    assert device >= 0
    assert device == 1
    assert not device < 0
    assert device > 0
    assert int(device) == 1
    assert hash(device) == hash(1)
    assert cuda.to_gpu(np.ones(2), device).device.id == cuda.to_gpu(np.ones(2), device=device).device.id == 1
    assert cuda.get_device_from_id(device) == cuda.Device(1)
    with pytest.warns(DeprecationWarning, match=r"^cuda.get_device is deprecated"):
        assert cuda.get_device(device) == cuda.Device(1)


def test_to_and_from_the_gpu(cupy):
    host = np.arange(4.0).reshape(2, 2)
    for device in (None, 0, 1, cuda.Device(1)):
        there = cuda.to_gpu(host, device)
        assert there.device.id == (0 if device is None else int(device))
        assert cuda.to_gpu(there, device) is there
        back = cuda.to_cpu(there)
        np.testing.assert_equal(back, host)
        assert cuda.to_cpu(back) is back
    assert [type(part).__module__ for part in cuda.to_gpu([host, (host, 2.0)])[1]] == ["cupy", "cupy"]
    assert cuda.to_gpu(None) is cuda.to_cpu(None) is None
    stream = cuda.Stream(non_blocking=True)
    np.testing.assert_equal(cuda.to_cpu(cuda.to_gpu(host, 1, stream), stream), host)
    moved = cuda.to_gpu(cuda.to_gpu(host, 0), 1)
    assert moved.device.id == 1
    np.testing.assert_equal(moved.get(), host)
    for wrong in (chainer.Variable(host), object(), {}):
        with pytest.raises(TypeError, match=r"^@numpy takes arrays, got "):
            cuda.to_gpu(wrong)


def test_copies(cupy):
    there = cuda.to_gpu(np.arange(3.0), 1)
    made = cuda.copy(there)
    assert made is not there
    assert made.device.id == 1
    out = cuda.to_gpu(np.zeros(3), 1)
    assert cuda.copy(there, out) is out
    np.testing.assert_equal(out.get(), np.arange(3.0))
    assert cuda.copy(there, out_device=0, stream=cuda.Stream()).device.id == 0
    with pytest.raises(
        ValueError, match=r"^cuda.copy got both out and out_device .*; the device of out counts: leave one$"
    ):
        cuda.copy(there, out, 0)


@NEEDS_COMPILER
def test_kernels_of_elements(kernels):
    x, y = (cuda.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3) + k) for k in range(2))
    kernel = cuda.elementwise("T x, T y, float32 c", "T z", "z = x * y + c", "multiply_add")
    assert kernel is cuda.elementwise("T x, T y, float32 c", "T z", "z = x * y + c", "multiply_add")
    np.testing.assert_allclose(kernel(x, y, 0.5).get(), x.get() * y.get() + 0.5)
    total, product = cuda.elementwise("T x, T y", "T s, T p", "s = x + y; p = x * y", "both")(x, y[:1])
    np.testing.assert_allclose(total.get(), x.get() + y.get()[:1])
    np.testing.assert_allclose(product.get(), x.get() * y.get()[:1])
    out = cuda.to_gpu(np.zeros((2, 3), np.float32))
    cuda.elementwise(
        "T x", "T y", "y = helped(x)", "helped", preamble="inline float helped(float x) { return 2 * x; }"
    )(x, out)
    np.testing.assert_allclose(out.get(), 2 * x.get())


@NEEDS_COMPILER
def test_kernels_that_reduce(kernels):
    x = cuda.to_gpu(np.arange(1, 7, dtype=np.float32).reshape(2, 3))
    norm = cuda.reduce("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    np.testing.assert_allclose(norm(x).get(), np.sqrt(91), rtol=1e-6)
    np.testing.assert_allclose(norm(x, axis=1).get(), np.linalg.norm(x.get(), axis=1), rtol=1e-6)


def test_kernels_are_kept_for_each_gpu(kernels):
    made = [cuda.elementwise("T x", "T y", "y = x", "kept")]
    with cuda.Device(1):
        made += [cuda.elementwise("T x", "T y", "y = x", "kept") for _ in range(2)]
    assert made[0] is not made[1]
    assert made[1] is made[2]
    cuda.clear_memo()
    assert cuda.elementwise("T x", "T y", "y = x", "kept") is not made[0]


def test_memoize(kernels):
    calls = []

    @cuda.memoize()
    def once(x):
        """Twice."""
        calls.append(x)
        return 2 * x

    assert [once(1), once(1), once(2)] == [2, 2, 4]
    assert calls == [1, 2]
    assert once.__doc__ == "Twice."
    cuda.clear_memo()
    assert once(1) == 2
    assert calls == [1, 2, 1]


def test_raw_kernels_and_fusion(cupy, monkeypatch):
    assert cuda.raw("extern ...", "name", options=("-O1",)).kwargs == {"options": ("-O1",)}
    fused = []
    monkeypatch.setattr(cupy, "fuse", lambda *args, **kwargs: fused.append((args, kwargs)) or len)
    cuda.fuse(abs)
    cuda.fuse(kernel_name="name")
    assert fused == [((abs,), {}), ((), {"kernel_name": "name"})]


class Ranges:
    """NVTX, which remembers."""

    def __init__(self):
        self.seen, self.open = [], []

    def RangePush(self, name):
        self.seen.append(name)
        self.open.append(name)

    def RangePop(self):
        self.open.pop()


def loss_of(device):
    x = chainer.Variable(cuda.to_gpu(np.ones((2, 3), np.float32), device))
    return F.sum(F.tanh(x) * x)


def test_ranges_for_profilers(cupy, monkeypatch):
    monkeypatch.setattr(cupy.cuda, "nvtx", Ranges(), raising=False)
    with CUDAProfileHook():
        loss_of(1).backward()
    assert cupy.cuda.nvtx.seen == [
        "Tanh.forward", "_ * _.forward", "Sum.forward", "Sum.backward", "_ * _.backward", "Tanh.backward",
    ]  # fmt: skip
    assert not cupy.cuda.nvtx.open


class MemoryHook:
    """CuPy's hooks of memory: those that are entered hear of allocations."""

    entered: list = []  # noqa: RUF012 - as in CuPy, one for the thread

    def __enter__(self):
        self.entered.append(self)

    def __exit__(self, *_):
        self.entered.remove(self)


def test_memory_that_functions_take(cupy, monkeypatch):
    def alloc(size):
        for hook in MemoryHook.entered:
            hook.malloc_postprocess(device_id=0, size=size, mem_size=512, mem_ptr=0, pmem_id=0)
            hook.alloc_postprocess(device_id=0, mem_size=1024, mem_ptr=0)
        return original(size)

    original = memory.alloc
    monkeypatch.setattr(memory, "alloc", alloc)
    monkeypatch.setattr(cupy.cuda, "MemoryHook", MemoryHook, raising=False)
    with CupyMemoryProfileHook() as hook:
        loss = loss_of(0)
    assert not MemoryHook.entered
    assert loss.item() == pytest.approx(6 * np.tanh(1.0))
    assert hook.call_history[:2] == [("Tanh", 512, 1024), ("Mul", 512, 1024)]
    assert hook.total_used_bytes() >= 1024
    text = io.StringIO()
    hook.print_report("B", text)
    assert "Tanh" in text.getvalue()
    assert "512.00B" in text.getvalue()


def test_timers_wait_for_the_gpu(cupy, monkeypatch):
    waited = []
    monkeypatch.setattr(cupy.cuda, "get_current_stream", lambda: types.SimpleNamespace(synchronize=note))

    def note():
        waited.append(cuda.Device().id)

    with TimerHook() as hook:
        loss_of(1).backward()
    assert waited == [1] * 12
    assert [name for name, _ in hook.call_history] == ["Tanh", "Mul", "Sum", "Sum", "Mul", "Tanh"]
    waited.clear()
    link = chainer.links.Linear(3, 2).to_device(1)
    with LinkTimerHook():
        link(cuda.to_gpu(np.ones((2, 3), np.float32), 1))
    assert len(waited) == 2
