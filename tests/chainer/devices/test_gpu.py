"""Devices where CuPy is there, with a stand-in for it."""

import copy
import pickle

import numpy as np
import pytest

from autodiff.chainer import backend
from autodiff.chainer.backends import cuda
from autodiff.chainer.link import Chain, Link
from autodiff.facade import Parameter, Variable


def test_names(cupy):
    for spec in (1, "1", "@cupy:1", cupy.cuda.Device(1)):
        device = backend.get_device(spec)
        assert type(device) is backend.GpuDevice
        assert device.device.id == 1
        assert repr(device) == "<GpuDevice (cupy):1>"
        assert device.name == "@cupy:1"
        assert device.xp is cupy
    assert backend.get_device(0) != backend.get_device(1) == backend.GpuDevice.from_device_id(1)
    assert copy.deepcopy(device) == pickle.loads(pickle.dumps(device)) == device
    with pytest.raises(TypeError, match=r"^a GpuDevice is made of a cupy.cuda.Device, got int "):
        backend.GpuDevice(0)
    with pytest.raises(ValueError, match=r"^the number of a GPU is 0 or larger, got -1 "):
        backend.GpuDevice.from_device_id(-1)


def test_send(cupy):
    first, second = backend.get_device(0), backend.get_device(1)
    x = np.arange(3.0)
    there = second.send(x)
    assert there.device.id == 1
    assert second.send(there) is there
    assert second.is_array_supported(there)
    assert not first.is_array_supported(there)
    assert first.send(there).device.id == 0
    assert second.send((there, [2.0]))[1][0].get() == 2
    np.testing.assert_equal(backend.CpuDevice().send(there), x)
    with pytest.raises(TypeError, match=r"^@cupy:1 takes arrays, got Variable "):
        second.send(Variable(x))


def test_current_device(cupy):
    with backend.using_device(1):
        assert cupy.cuda.Device().id == 1
    assert cupy.cuda.Device().id == 0
    backend.get_device(1).use()
    assert backend.GpuDevice.from_device_id(None).device.id == 1


def test_modules_and_devices_of_arrays(cupy):
    there = backend.get_device(1).send(np.ones(2))
    assert backend.get_array_module(there) is backend.get_array_module(np.ones(2), Variable(there)) is cupy
    assert backend.get_array_module(np.ones(2)) is np
    assert backend.get_device_from_array(np.ones(2), Variable(there)) == backend.get_device(1)
    assert backend.CpuDevice.from_array(there) is None
    backend.copyto(there, np.array([3.0, 4.0]))
    np.testing.assert_equal(there.get(), [3.0, 4.0])
    host = np.zeros(2)
    backend.copyto(host, there)
    np.testing.assert_equal(host, [3.0, 4.0])


def test_variables_and_gradients(cupy):
    v = Variable(np.arange(3.0), grad=np.ones(3))
    v.to_gpu(1)
    assert v.device == backend.get_device(1)
    assert v.xp is cupy
    assert v.grad.device.id == 1
    array = v.array
    v.to_gpu()
    assert v.array is array
    v.to_gpu(0)
    assert v.device == backend.get_device(0)
    v.to_cpu()
    np.testing.assert_equal(v.array, np.arange(3.0))
    np.testing.assert_equal(v.grad, np.ones(3))


def test_between_devices(cupy):
    here, there = Variable(np.zeros(2), grad=np.ones(2)), Variable(np.arange(2.0), grad=np.ones(2))
    there.to_gpu(1)
    here.copydata(there)
    here.addgrad(there)
    np.testing.assert_equal(here.array, np.arange(2.0))
    np.testing.assert_equal(here.grad, np.full(2, 2.0))
    here.array[...] = 5
    there.copydata(here)
    there.addgrad(here)
    np.testing.assert_equal(there.array.get(), np.full(2, 5.0))
    np.testing.assert_equal(there.grad.get(), np.full(2, 3.0))
    assert there.grad.device.id == 1


def test_contract_137_parameters_that_wait(cupy):
    for initializer in (2.0, np.full(3, 2, np.float32)):
        p = Parameter(initializer)
        if p.array is not None:
            p = Parameter(initializer, (3,))
            p.to_gpu(1)
        else:
            p.to_gpu(1)
            assert p.device == backend.get_device(1)
            p.initialize(3)
        np.testing.assert_equal(p.array.get(), np.full(3, 2, np.float32))
        assert p.device == backend.get_device(1)
        assert np.isnan(p.grad.get()).all()


def test_links(cupy):
    link = Chain(a=Link(W=2), b=Link())
    link.b.add_persistent("mean", np.ones(2))
    link.b.add_persistent("count", 3)
    assert link.to_device(1) is link
    assert link.device == link.b.device == link.a.W.device == backend.get_device(1)
    assert link.xp is cupy
    assert link.b.mean.device.id == 1
    assert link.b.count == 3
    with pytest.warns(DeprecationWarning, match=r"^to_gpu\(\) is deprecated; use to_device\('@cupy:0'\)$"):
        link.to_gpu()
    assert link.a.W.array.device.id == 1
    with pytest.warns(DeprecationWarning, match=r"^to_gpu\(\) is deprecated; use to_device\('@cupy:0'\)$"):
        link.to_gpu(0)
    assert link.a.W.array.device.id == 0
    link.to_device("@numpy")
    np.testing.assert_equal(link.b.mean, np.ones(2))


def test_cuda(cupy):
    there = cuda.to_gpu(np.arange(2.0), device=1)
    assert cuda.available is True
    assert cuda.cupy is cupy
    assert isinstance(there, cuda.ndarray)
    assert cuda.Device is cupy.cuda.Device
    assert there.device.id == 1
    assert cuda.to_gpu(there) is there
    assert cuda.to_gpu([there])[0] is there
    np.testing.assert_equal(cuda.to_cpu([there])[0], np.arange(2.0))
    assert cuda.copy(there).device.id == 1
    assert cuda.copy(there, out_device=0).device.id == 0
    assert cuda.copy(there, out=cuda.to_gpu(np.zeros(2))).get()[1] == 1
    assert cuda.get_device_from_array(np.ones(2), there).id == 1
    assert cuda.get_device_from_id(1).id == 1
    assert isinstance(cuda.elementwise("T x", "T y", "y = x", "same"), cupy.ElementwiseKernel)
    assert isinstance(cuda.reduce("T x", "T y", "x", "a + b", "y = a", "0", "total"), cupy.ReductionKernel)
    assert isinstance(cuda.raw("code", "name"), cupy.RawKernel)
    assert cuda.fuse(len)([1]) == cuda.fuse()(len)([1]) == 1
    assert cuda.memoize()(len)([1]) == 1
    with pytest.raises(ValueError, match=r"^cuda.copy got both out and out_device .*; the device of out counts"):
        cuda.copy(there, there, 1)


def test_a_cupy_that_finds_no_gpu(cupy):
    cupy.is_available = lambda: False
    assert cuda.available is False
    with pytest.raises(RuntimeError, match=r"^CUDA is not correctly set up \(CuPy is installed but "):
        cuda.check_cuda_available()
