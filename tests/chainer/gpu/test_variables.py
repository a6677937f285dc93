"""Variables, Parameters and links on GPUs, with a stand-in for CuPy that has two."""

import copy
import pickle

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import Parameter, Variable
from autodiff.chainer import links as L
from autodiff.chainer.initializers import Normal
from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.trace.errors import ConcretizationError


@pytest.fixture
def there(cupy):
    """An array on the second GPU, while the first one is current."""
    return sent(np.arange(6.0, dtype=np.float32).reshape(2, 3))


def sent(array):
    return chainer.get_device(1).send(np.asarray(array, np.float32))


def test_what_a_variable_says(there):
    v = Variable(there, name="x", grad=sent(np.zeros((2, 3))))
    assert v.array is there
    assert v.xp is chainer.cuda.cupy
    assert v.device == chainer.get_device(1)
    assert (v.shape, v.dtype, v.size, v.ndim, len(v)) == ((2, 3), np.float32, 6, 2, 2)
    assert repr(v) == "variable x([[0., 1., 2.],\n            [3., 4., 5.]])"
    assert str(v) == "variable x([[0. 1. 2.]\n            [3. 4. 5.]])"
    assert v.debug_print().splitlines()[1:] == [
        "- device: <CUDA Device 1>",
        "- backend: <class 'cupy.ndarray'>",
        "- shape: (2, 3)",
        "- dtype: float32",
        "- statistics: mean=2.50000000, std=1.70782518",
        "- grad: 0",
    ]
    assert Variable(sent([5.0])).item() == 5.0
    assert repr(Variable(sent(np.zeros((0, 3))))) == "variable([], shape=(0, 3))"


def test_nothing_becomes_a_host_array(there):
    with pytest.raises(ConcretizationError, match=r"^a Variable would become a plain NumPy array"):
        np.asarray(Variable(there))
    with pytest.raises(TypeError, match=r"^Implicit conversion to a NumPy array is not allowed"):
        np.asarray(Variable(there).array)


def test_operations_run_where_the_arrays_are(there):
    x = Variable(there)
    for y in (x + 1, 2 * x, x * x, x @ x.T, x[0], -x, x**2, 1 / (x + 1), abs(x), x.reshape(-1), x.mean(), x - there,
              there - x, np.exp(x), np.sum(x, axis=0), np.concatenate((x, x)), x.transpose()):  # fmt: skip
        assert y.device == chainer.get_device(1)
    assert chainer.cuda.Device().id == 0


def test_moves(there):
    v = Variable(there, grad=sent(there.get() + 1))
    graph = v * 2
    for spec in ("@cupy:0", 1, "@numpy", 0, "@cupy:1"):
        v.to_device(spec)
        assert v.device == chainer.get_device(spec)
        assert v.device.is_array_supported(v.grad)
        np.testing.assert_equal(chainer.cuda.to_cpu(v.array), np.arange(6.0).reshape(2, 3))
        np.testing.assert_equal(chainer.cuda.to_cpu(v.grad), np.arange(6.0).reshape(2, 3) + 1)
    assert graph.device == chainer.get_device(1)
    v.to_gpu(0)
    array, grad = v.array, v.grad
    v.to_gpu()
    v.to_gpu(0)
    assert (v.array is array, v.grad is grad) == (True, True)


def test_gradients_that_are_variables_move_too(there):
    v = Variable(there)
    v.grad_var = Variable(sent(there.get() * 2))
    kept = v.grad_var
    v.to_cpu()
    assert v.grad_var is kept
    assert type(kept.array) is np.ndarray
    assert v.grad is kept.array


@pytest.mark.parametrize("source", ["@numpy", 0, 1])
@pytest.mark.parametrize("target", ["@numpy", 0, 1])
def test_copydata_and_addgrad(cupy, source, target):
    x, y = (Variable(np.full(3, k, np.float32), grad=np.full(3, k + 10, np.float32)) for k in (1.0, 2.0))
    x.to_device(source)
    y.to_device(target)
    array = y.array
    y.copydata(x)
    y.addgrad(x)
    assert y.array is array
    assert y.device == chainer.get_device(target)
    assert y.device.is_array_supported(y.grad)
    np.testing.assert_equal(chainer.cuda.to_cpu(y.array), np.full(3, 1.0))
    np.testing.assert_equal(chainer.cuda.to_cpu(y.grad), np.full(3, 23.0))
    y.cleargrad()
    y.addgrad(x)
    assert y.device.is_array_supported(y.grad)
    with pytest.warns(DeprecationWarning, match="zerograd"):
        y.zerograd()
    y.cleargrad()
    with pytest.warns(DeprecationWarning, match="zerograd"):
        y.zerograd()
    assert y.device.is_array_supported(y.grad)
    np.testing.assert_equal(chainer.cuda.to_cpu(y.grad), np.zeros(3))


def test_copies_and_pickles(there):
    v = Variable(there, name="x", grad=sent(there.get() + 1))
    shallow, deep = copy.copy(v), copy.deepcopy(v)
    assert (shallow.array is there, shallow.grad is v.grad) == (True, True)
    assert deep.array is not there
    assert deep.device == v.device
    np.testing.assert_equal(deep.grad.get(), v.grad.get())
    again = pickle.loads(pickle.dumps(v))
    np.testing.assert_equal(again.array.get(), there.get())
    assert (again.device, again.grad.device.id) == (v.device, 1)


def test_parameters_are_initialised_on_their_device(cupy):
    for initializer in (None, 3, 0.5, np.full(2, 7, np.float32), Normal(), lambda array: array.fill(1)):
        p = Parameter(initializer) if not isinstance(initializer, np.ndarray) else Parameter(initializer, (2,))
        p.to_device(1)
        if p.array is None:
            assert p.device == chainer.get_device(1)
            p.initialize((2,))
        assert p.device == chainer.get_device(1)
        assert p.grad.device.id == 1
        assert np.isnan(p.grad.get()).all()
    assert Parameter(sent([1, 2]), (3, 2)).device == chainer.get_device(1)
    assert Parameter(sent([1, 2])).device == chainer.get_device(1)


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a = L.Linear(None, 3)
            self.b = L.BatchNormalization(3)
            self.c = chainer.Sequential(L.Linear(3, 2), chainer.functions.relu)
        self.add_persistent("scale", np.ones(2, np.float32))

    def forward(self, x):
        return self.c(self.b(self.a(x))) * self.scale


def test_links_move_with_all_they_hold(there):
    net = Net()
    assert net.to_device(1) is net
    y = net(there)
    assert y.device == chainer.get_device(1)
    for part in net.links():
        assert part.device == chainer.get_device(1)
        assert part.xp is chainer.cuda.cupy
    for param in net.params():
        assert param.device == chainer.get_device(1)
    assert net.b.avg_mean.device.id == net.scale.device.id == 1
    with pytest.warns(DeprecationWarning, match="to_gpu"):
        net.to_gpu(0)
    assert net.scale.device.id == net.a.W.array.device.id == 0
    with pytest.warns(DeprecationWarning, match="to_cpu"):
        net.to_cpu()
    assert {type(param.array) for param in net.params()} == {np.ndarray}


def test_gradients_of_links(there):
    net, other = Net().to_device(1), Net()
    net(there)
    other(chainer.cuda.to_cpu(there))
    net.copyparams(other)
    for param in other.params():
        param.grad = np.ones_like(param.array)
    net.cleargrads()
    net.addgrads(other)
    assert {param.grad.device.id for param in net.params()} == {1}
    with pytest.warns(DeprecationWarning, match="zerograd"):
        net.zerograds()
    assert all((param.grad.get() == 0).all() for param in net.params())
    np.testing.assert_equal(net.a.W.array.get(), other.a.W.array)


def test_pickled_links(there):
    net = Net().to_device(1)
    net(there)
    for again in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net), copy.copy(net)):
        assert {part.device for part in (again, *again.links(), *again.params())} == {chainer.get_device(1)}
        assert again.b.avg_mean.device.id == again.scale.device.id == 1
        np.testing.assert_equal(again.a.W.array.get(), net.a.W.array.get())


@pytest.mark.parametrize("mode", ["share", "copy", "init"])
def test_copies_of_links(there, mode):
    net = Net().to_device(1)
    net(there)
    copied = net.copy(mode)
    assert copied.device == net.device
    assert all(param.device == net.device for param in copied.params())
    assert (copied.a.W.array is net.a.W.array) is (mode == "share")
    assert copied.c.repeat(2)[0][0].W.device == net.device


def test_snapshots(there, tmp_path):
    path = str(tmp_path / "net")
    net = Net().to_device(1)
    net(there)
    save_npz(path, net)
    for device in ("@numpy", 0, 1):
        loaded = Net().to_device(device)
        load_npz(path, loaded)
        for (name, own), (its_name, its) in zip(loaded.namedparams(), net.namedparams(), strict=True):
            assert name == its_name
            assert own.device == chainer.get_device(device)
            np.testing.assert_equal(chainer.cuda.to_cpu(own.array), its.array.get())
        assert chainer.get_device(device).is_array_supported(loaded.b.avg_mean)
