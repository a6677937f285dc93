"""What a program hears that asks too much of its GPUs: whole texts, and nothing is left half done."""

import re

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import Variable
from autodiff.chainer import functions as F
from autodiff.chainer import links as L
from autodiff.chainer.backends import cuda
from autodiff.chainer.training.updaters import StandardUpdater
from autodiff.facade.settings import devices
from tests.chainer.error_texts import NO_GPU


def there(device=0, shape=(2, 3), dtype=np.float32):
    return chainer.get_device(device).send(np.ones(shape, dtype))


class Add(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] + inputs[1],)


class Elsewhere(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0], cuda.to_cpu(inputs[0]))


APART = (
    "TypeError: LABEL: its operands lie in different places, float32[2,3] on GPU 0 and float32[2,3] in host memory "
    "(NumPy) (LINE); nothing is moved unasked: bring them together with cupy.asarray(x), or with x.get() in host memory"
)
TWO_GPUS = (
    "TypeError: LABEL: its operands lie in different places, float32[2,3] on GPU 0 and float32[2,3] on GPU 1 (LINE); "
    "nothing is moved unasked: bring one over inside of 'with cupy.cuda.Device(n):' with cupy.asarray(x)"
)
NO_SUCH = "ValueError: there is no GPU 2 (LINE): CUDA finds 2, numbered from 0; take one of those, or -1 for the CPU"
HOST = np.ones((2, 3), np.float32)

ROWS = {
    "a wrong number": (lambda: chainer.get_device(2), NO_SUCH),
    "a wrong name": (lambda: chainer.get_device("@cupy:2"), NO_SUCH),
    "using_device": (lambda: chainer.using_device(2), NO_SUCH),
    "to_gpu of a Variable": (lambda: Variable(HOST).to_gpu(2), NO_SUCH),
    "to_device of a Variable": (lambda: Variable(there()).to_device("@cupy:2"), NO_SUCH),
    "to_device of a link": (lambda: L.Linear(2, 3).to_device(2), NO_SUCH),
    "cuda.to_gpu": (lambda: cuda.to_gpu(HOST, 2), NO_SUCH),
    "get_device_from_id": (lambda: cuda.get_device_from_id(2), NO_SUCH),
    "an updater": (lambda: StandardUpdater(None, chainer.optimizers.SGD().setup(L.Linear(2, 3)), device=2), NO_SUCH),
    "F.copy": (lambda: F.copy(Variable(there()), 2), NO_SUCH),
    "a negative number": (
        lambda: devices.GpuDevice.from_device_id(-3),
        "ValueError: the number of a GPU is 0 or larger, got -3 (LINE)",
    ),
    "no number": (
        lambda: devices.GpuDevice.from_device_id(1.5),
        "ValueError: the number of a GPU is 0 or larger, got 1.5 (LINE)",
    ),
    "host and device": (lambda: Variable(there()) + Variable(HOST), APART.replace("LABEL", "add")),
    "an array of the host": (lambda: Variable(there()) * HOST, APART.replace("LABEL", "multiply")),
    "a function": (lambda: F.mean_squared_error(there(), HOST), APART.replace("LABEL", "MeanSquaredError")),
    "two GPUs": (lambda: Variable(there()) - Variable(there(1)), TWO_GPUS.replace("LABEL", "subtract")),
    "a function of two GPUs": (lambda: F.mean_squared_error(there(), there(1)), TWO_GPUS.replace("LABEL", "MeanSquaredError")),
    "a function of one's own": (lambda: Add().apply((there(), HOST)), APART.replace("LABEL", "Add")),
    "what it returns": (
        lambda: Elsewhere().apply((there(),)),
        APART.replace("LABEL", "the forward output of Elsewhere"),
    ),
    "a link on the host": (
        lambda: L.Linear(3, 3, nobias=True, initialW=np.ones((3, 3), np.float32))(there(shape=(3, 3))),
        APART.replace("LABEL", "LinearFunction").replace("[2,3]", "[3,3]"),
    ),
    "a gradient on the host": (
        lambda: Variable(there()).__setattr__("grad", HOST),
        "TypeError: the gradient is on @numpy but the Variable on @cupy:0 (LINE); bring it there: "
        "chainer.get_device('@cupy:0').send(grad)",
    ),
    "a gradient on another GPU": (
        lambda: Variable(there()).__setattr__("grad", there(1)),
        "TypeError: the gradient is on @cupy:1 but the Variable on @cupy:0 (LINE); bring it there: "
        "chainer.get_device('@cupy:0').send(grad)",
    ),
    "numbers from a Variable": (
        lambda: np.asarray(Variable(there())),
        "ConcretizationError: a Variable would become a plain NumPy array (LINE) and its derivative would be lost "
        "silently; take v.array where that is wanted, and np.stack or np.concatenate to collect Variables",
    ),
    "sending a Variable": (
        lambda: chainer.get_device(1).send(Variable(HOST)),
        "TypeError: @cupy:1 takes arrays, got Variable (LINE); a Variable or a link has its own to_device()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(cupy, name):
    bad, text = ROWS[name]
    with pytest.raises(Exception) as error:  # noqa: PT011 - the type is part of the text
        bad()
    assert re.sub(r"test_bad_input\.py:\d+", "LINE", f"{type(error.value).__name__}: {error.value}") == text
    assert cupy.cuda.Device().id == 0


class Full:
    """A GPU that holds so many arrays, and no more."""

    def __init__(self, cupy, monkeypatch, count):
        self.left, self.original = count, cupy.asarray
        self.error = cupy.cuda.memory.OutOfMemoryError
        monkeypatch.setattr(cupy, "asarray", self.asarray)

    def asarray(self, *args, **kwargs):
        if not self.left:
            raise self.error("Out of memory allocating 4,294,967,296 bytes (allocated so far: 80,000,000,000 bytes).")
        self.left -= 1
        return self.original(*args, **kwargs)


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a = L.Linear(3, 2)
            self.b = chainer.ChainList(L.BatchNormalization(2), L.LSTM(2, 2))
            self.later = L.Linear(None, 2)
        self.add_persistent("table", np.arange(3.0))


def held(link):
    """All that a link holds, by identity, and where its parts are."""
    arrays = [(id(param.array), param._grad is None or id(param._grad), param.device) for param in link.params()]
    kept = [id(part.__dict__[name]) for part in link.links() for name in part._persistent]
    return arrays, kept, [part.device for part in link.links()], id(link.b[1].h.array), link.later.W.device


@pytest.mark.parametrize("count", range(0, 21, 3))
def test_a_link_that_does_not_fit_stays_where_it_was(cupy, monkeypatch, count):
    net = Net()
    net.b[1](net.a(np.ones((2, 3), np.float32)))
    F.sum(net.b[1].h).backward()
    before = held(net)
    full = Full(cupy, monkeypatch, count)
    with pytest.raises(MemoryError, match=r"^Out of memory allocating"):
        net.to_device(1)
    assert held(net) == before
    assert {type(param.array) for param in net.params() if param.array is not None} == {np.ndarray}
    full.left = 100
    net.to_device(1)
    assert {param.device for param in net.params()} == {chainer.get_device(1)}


def test_between_gpus_nothing_is_half_moved_either(cupy, monkeypatch):
    net = Net().to_device(0)
    net.b[1](net.a(there()))
    before = held(net)
    moved = []

    def copy(self, order="C"):
        if len(moved) == 5:
            raise MemoryError("Out of memory")
        moved.append(original(self, order))
        return moved[-1]

    original = cupy.ndarray.copy
    monkeypatch.setattr(cupy.ndarray, "copy", copy)
    with pytest.raises(MemoryError, match=r"^Out of memory$"):
        net.to_device(1)
    assert len(moved) == 5
    assert held(net) == before


def test_a_variable_whose_gradient_does_not_fit(cupy, monkeypatch):
    v = Variable(HOST, grad=HOST * 2)
    array, grad = v.array, v.grad
    Full(cupy, monkeypatch, 1)
    with pytest.raises(MemoryError):
        v.to_gpu(1)
    assert (v.array is array, v.grad is grad) == (True, True)


def test_an_update_that_runs_out_of_memory(cupy, monkeypatch):
    model = L.Classifier(L.Linear(3, 2)).to_device(0)
    optimizer = chainer.optimizers.Adam().setup(model)
    x, t = there(), chainer.get_device(0).send(np.zeros(2, "i"))
    before = [param.array.get().copy() for param in model.params()]

    def loss(*_):
        raise cupy.cuda.memory.OutOfMemoryError("Out of memory")

    with pytest.raises(MemoryError, match=r"^Out of memory$"):
        optimizer.update(loss, x, t)
    assert optimizer.t == 0
    for param, value in zip(model.params(), before, strict=True):
        np.testing.assert_equal(param.array.get(), value)
    assert cupy.cuda.Device().id == 0
    optimizer.update(model, x, t)


def test_a_cupy_that_does_not_fit_the_driver(cupy):
    cupy.is_available = lambda: False
    with pytest.raises(RuntimeError) as error:
        L.Linear(3, 2).to_device(0)
    text = re.sub(r"test_bad_input\.py:\d+", "LINE", str(error.value))
    assert NO_GPU.sub("CUDA is not correctly set up (REASON) (", text) == (
        "CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA "
        "(pip install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
    )
