"""Devices on a machine without a GPU: items 123 to 128 of the contract."""

import copy
import pickle
import re

import numpy as np
import pytest

from autodiff.chainer import _backend, backend
from autodiff.chainer.backends import _chainerx, _cpu, cuda, intel64
from autodiff.facade import Parameter, Variable

pytestmark = pytest.mark.usefixtures("no_cupy")

NO_CUDA = (
    r"CUDA is not correctly set up \(ModuleNotFoundError: .*\); install CuPy for the version of CUDA "
    r"\(pip install cupy-cuda12x, say\), or stay on the CPU: device -1 or '@numpy'"
)


@pytest.mark.parametrize("spec", ["@numpy", -1, "-1", -2, np.int32(-1), backend.CpuDevice()])
def test_contract_123_names_of_the_cpu(spec):
    device = backend.get_device(spec)
    assert device == backend.CpuDevice()
    assert repr(device) == "<CpuDevice (numpy)>"
    assert str(device) == device.name == "@numpy"
    assert device.xp is np


@pytest.mark.parametrize("spec", [0, "0", "@cupy:0", True, np.int64(3)])
def test_contract_123_a_gpu_that_is_not_there(spec):
    with pytest.raises(RuntimeError, match=f"^{NO_CUDA}$"):
        backend.get_device(spec)


@pytest.mark.parametrize("spec", ["@foo", "@foo:1", "@cupy", "@cupy:x", "@numpy:0", "@intel64:0"])
def test_contract_123_unknown_names(spec):
    text = (
        f"there is no device {spec!r} (test_cpu.py:{{}}); the names are '@numpy' and '@cupy:N', N the number of a GPU"
    )
    with pytest.raises(ValueError, match=text_at_any_line(text)):
        backend.get_device(spec)


def text_at_any_line(text):
    return "^" + re.escape(text).replace(re.escape("{}"), r"\d+") + "$"


@pytest.mark.parametrize("spec", ["native", "native:0", "cuda:0", "foo", "", "0:1"])
def test_contract_123_names_of_chainerx(spec):
    text = (
        f"{spec!r} would be a device of ChainerX, which is not available (test_cpu.py:{{}}); use '@numpy' or -1 for "
        "the CPU, '@cupy:0' or 0 for a GPU"
    )
    with pytest.raises(RuntimeError, match=text_at_any_line(text)):
        backend.get_device(spec)


@pytest.mark.parametrize("spec", [None, 1.5, np, ("@cupy", 0), (np,), cuda.DummyDevice])
def test_contract_123_other_types(spec):
    text = (
        f"a device is given by a name, a number or a Device, got {type(spec).__name__} (test_cpu.py:{{}}); for example "
        "'@numpy', '@cupy:0', -1 (the CPU) or 0 (the first GPU)"
    )
    with pytest.raises(TypeError, match=text_at_any_line(text)):
        backend.get_device(spec)


def test_contract_123_equality_and_hash():
    assert backend.CpuDevice() == backend.CpuDevice()
    assert backend.CpuDevice() is not backend.CpuDevice()
    assert backend.CpuDevice() != "@numpy"
    assert {backend.CpuDevice(): 1}[backend.CpuDevice()] == 1
    assert copy.deepcopy(backend.CpuDevice()) == pickle.loads(pickle.dumps(backend.CpuDevice())) == backend.CpuDevice()


def test_contract_124_send():
    device, x = backend.CpuDevice(), np.arange(3.0)
    assert device.send(x) is x
    assert device.send(None) is None
    assert device.send([]) == []
    np.testing.assert_equal(device.send(2), np.array(2))
    sent = device.send((x, [x, None, (x,)]))
    assert sent[0] is x
    assert sent[1][0] is x
    assert sent[1][1] is None
    assert sent[1][2][0] is x


@pytest.mark.parametrize("value", [Variable(np.ones(2)), {"a": np.ones(2)}, [np.ones(2), object()]])
def test_contract_124_send_takes_arrays(value):
    name = type(value[1] if isinstance(value, list) else value).__name__
    text = f"@numpy takes arrays, got {name} (test_cpu.py:{{}}); a Variable or a link has its own to_device()"
    with pytest.raises(TypeError, match=text_at_any_line(text)):
        backend.CpuDevice().send(value)


def test_contract_124_use_and_contexts():
    device = backend.CpuDevice()
    assert device.supported_array_types == (np.ndarray,)
    assert device.is_array_supported(np.ones(2))
    assert not device.is_array_supported(1)
    assert device.use() is None
    with backend.using_device("@numpy"), device.create_context():
        pass
    text = "a Device is no context (test_cpu.py:{}); use chainer.using_device(device)"
    with pytest.raises(RuntimeError, match=text_at_any_line(text)), device:
        pass


def test_contract_125_variables():
    v = Variable(np.arange(3.0, dtype=np.float32))
    v.grad = np.ones(3, np.float32)
    array, grad = v.array, v.grad
    assert v.to_cpu() is None
    assert v.to_device("@numpy") is v.to_device(-1) is v.from_chx() is None
    assert v.array is array is v.raw_array
    assert v.grad is grad
    assert v.device == backend.CpuDevice() == Variable().device
    assert v.xp is np
    assert v.layout is None
    assert v.as_layout(None) is v
    with pytest.raises(RuntimeError, match=f"^{NO_CUDA}$"):
        v.to_gpu()
    with pytest.raises(RuntimeError, match=r"^ChainerX is not available "):
        v.to_chx()
    with pytest.raises(RuntimeError, match=r"^iDeep is not available "):
        v.to_intel64()
    text = "chx_array is for arrays of ChainerX (test_cpu.py:{}), and there are none; use .array"
    with pytest.raises(ValueError, match=text_at_any_line(text)):
        v.chx_array  # noqa: B018
    text = "there is no layout 3 (test_cpu.py:{}); arrays have NumPy's layout, called None"
    with pytest.raises(ValueError, match=text_at_any_line(text)):
        v.as_layout(3)
    with pytest.raises(AttributeError):
        v.device = 3


def test_contract_125_parameters():
    p = Parameter(2.0)
    p.to_device("@numpy")
    p.to_cpu()
    assert p.device == backend.CpuDevice()
    p.initialize(3)
    np.testing.assert_equal(p.array, np.full(3, 2, np.float32))
    with pytest.raises(ValueError, match="there is no layout 3"):
        Parameter(0, (2,), layout=3)


def test_contract_126_dummies():
    x, v = np.ones(2), Variable(np.ones(2))
    assert cuda.available is False
    assert cuda.cudnn_enabled is False
    assert not isinstance(x, cuda.ndarray)
    assert cuda.cupy is cuda.cupy is not np
    for kind in (cuda.ndarray, cuda.Device, cuda.Event, cuda.Stream):
        assert isinstance(kind(), kind)
    assert cuda.Device(0).id == 0
    assert cuda.get_array_module(x) is cuda.get_array_module(v) is np
    assert cuda.get_device_from_id(-1) is cuda.get_device_from_id(None) is cuda.DummyDevice
    assert cuda.get_device_from_array(x) is cuda.get_device_from_array() is cuda.DummyDevice
    assert cuda.DummyDevice == cuda.DummyDeviceType()
    assert cuda.DummyDevice != -1
    assert int(cuda.DummyDevice) == cuda.DummyDevice.id == -1
    with cuda.DummyDevice as device:
        assert device is cuda.DummyDevice
    assert cuda.DummyDevice.use() is cuda.DummyDevice.synchronize() is None
    with pytest.raises(TypeError, match="unhashable"):
        hash(cuda.DummyDevice)
    with pytest.raises(
        AttributeError, match=r"^there is no cupy.ndarray: CUDA is not correctly set up \(ModuleNotFoundError: .*\)$"
    ):
        cuda.cupy.ndarray  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'autodiff.chainer.backends.cuda' has no attribute 'nonsense'$"):
        cuda.nonsense  # noqa: B018


def test_contract_126_to_cpu():
    x = np.ones(2)
    assert cuda.to_cpu(x) is x
    assert cuda.to_cpu(x, stream=1) is x
    assert cuda.to_cpu([x])[0] is cuda.to_cpu((x, x))[1] is x
    assert cuda.to_cpu(None) is None
    np.testing.assert_equal(cuda.to_cpu(np.float32(3)), np.array(3, np.float32))
    with pytest.raises(TypeError, match=r"^@numpy takes arrays, got Variable "):
        cuda.to_cpu(Variable(x))


@pytest.mark.parametrize(
    "call",
    [
        lambda: cuda.check_cuda_available(),
        lambda: cuda.to_gpu(np.ones(2)),
        lambda: cuda.copy(np.ones(2)),
        lambda: cuda.get_device_from_id(0),
        lambda: cuda.elementwise("T x", "T y", "y = x", "same"),
        lambda: cuda.reduce("T x", "T y", "x", "a + b", "y = a", "0", "total"),
        lambda: cuda.raw("code", "name"),
        lambda: cuda.Device(0).use(),
        lambda: cuda.Device(0).__enter__(),
        lambda: backend.GpuDevice(0),
        lambda: backend.GpuDevice.from_device_id(0),
        lambda: backend.using_device(0),
    ],
)
def test_contract_126_what_needs_a_gpu(call):
    with pytest.raises(RuntimeError, match=f"^{NO_CUDA}$"):
        call()


def test_contract_126_the_rest():
    assert cuda.clear_memo() is None
    assert cuda.memoize()(len)([1]) == cuda.memoize(for_each_device=True)(len)([1]) == 1
    assert cuda.fuse(len) is cuda.fuse()(len) is len
    assert cuda.get_max_workspace_size() == 0
    assert cuda.set_max_workspace_size(3) is None
    assert not cuda.should_use_cudnn(">=auto")
    assert not cuda.should_use_cudnn_tensor_core("float16")
    with pytest.raises(RuntimeError, match=r"^cuDNN is not enabled"):
        cuda.get_cudnn_dropout_states()
    with pytest.raises(RuntimeError, match=r"^cuDNN is not enabled"):
        cuda.get_cudnn_dropout_states_core(1)
    text = "^cuda.get_device is deprecated; use cuda.get_device_from_id or cuda.get_device_from_array$"
    for arguments in [(), (None,), (-1,), (np.ones(2),), (cuda.DummyDevice,)]:
        with pytest.warns(DeprecationWarning, match=text):
            assert cuda.get_device(*arguments) is cuda.DummyDevice


def test_intel64():
    assert not intel64.is_ideep_available()
    assert not intel64.should_use_ideep(">=auto")
    assert not intel64.inputs_all_ready((np.ones(2),))
    assert isinstance(intel64.mdarray(), intel64.mdarray)
    for call in (intel64.check_ideep_available, intel64.Intel64Device, lambda: backend.get_device("@intel64")):
        with pytest.raises(RuntimeError, match=r"^iDeep is not available"):
            call()


def test_chainerx():
    assert backend.to_chx(None) is backend.from_chx(None) is None
    x = np.ones(2)
    assert backend.from_chx(x) is backend.from_chx([x])[0] is x
    with pytest.raises(TypeError, match=r"^from_chx takes arrays, got int "):
        backend.from_chx(1)
    for call in (backend.to_chx, backend.ChainerxDevice, backend.ChainerxDevice.from_fallback_device):
        with pytest.raises(RuntimeError, match=r"^ChainerX is not available "):
            call(x)
    assert backend.ChainerxDevice.from_array(x) is backend.Intel64Device.from_array(x) is None


def test_contract_128_modules_and_devices_of_arrays():
    x, v = np.ones(2), Variable(np.ones(2))
    assert backend.get_array_module(x) is backend.get_array_module(v) is backend.get_array_module() is np
    assert backend.get_array_module(1, None) is np
    for arguments in [(x,), (v,), (), (1,), ([x],), (None,)]:
        assert backend.get_device_from_array(*arguments) == backend.CpuDevice()
    assert backend.CpuDevice.from_array(x) == backend.CpuDevice()
    assert backend.CpuDevice.from_array(1) is backend.GpuDevice.from_array(x) is None
    assert _backend.Device is backend.Device
    assert _cpu.CpuDevice is backend.CpuDevice
    assert _chainerx.ChainerxDevice is backend.ChainerxDevice
    assert cuda.GpuDevice is backend.GpuDevice


def test_contract_128_copyto():
    y = np.zeros((2, 3), np.float32)
    backend.copyto(y, np.arange(3.0))
    np.testing.assert_equal(y, np.array([[0, 1, 2], [0, 1, 2]], np.float32))
    backend.copyto(y, 4)
    np.testing.assert_equal(y, np.full((2, 3), 4, np.float32))
    with pytest.raises(TypeError, match="same_kind"):
        backend.copyto(np.zeros(3, int), np.ones(3))
    with pytest.raises(TypeError, match=r"^copyto writes into an array, got Variable .*; pass its .array$"):
        backend.copyto(Variable(y), y)
    with pytest.raises(TypeError, match=r"^@numpy takes arrays, got Variable "):
        backend.copyto(y, Variable(y))


def test_a_device_of_ones_own():
    class Nowhere(backend.Device):
        pass

    for ask in ("name", "xp", "supported_array_types"):
        with pytest.raises(NotImplementedError, match=r"^Nowhere "):
            getattr(Nowhere(), ask)
    with pytest.raises(NotImplementedError, match=r"^Nowhere does not say how arrays get there: define send_array$"):
        Nowhere().send(np.ones(2))


def test_devices_are_compared_with_numbers_as_in_chainer_5():
    device = backend.get_device(-1)
    assert device < 0
    assert not device >= 0
    assert not device > -1
    assert device <= np.int32(-1)
    assert device == -1
    assert device != 0
    assert int(device) == -1
    assert hash(device) == hash(-1)
    assert {device: "here"}[-1] == "here"
    with pytest.raises(TypeError, match="'>=' not supported between instances of 'CpuDevice' and 'NoneType'"):
        assert device >= None
    assert device != False  # noqa: E712
    assert cuda.get_device_from_id(device) is cuda.DummyDevice


def test_devices_without_a_number_are_not_compared_with_numbers():
    class Elsewhere(backend.Device):
        name = "@elsewhere"

    assert Elsewhere() == Elsewhere()
    assert Elsewhere() != -1
    with pytest.raises(TypeError, match="'<' not supported"):
        assert Elsewhere() < 0
    with pytest.raises(TypeError, match=r"^@elsewhere has no number \("):
        int(Elsewhere())
