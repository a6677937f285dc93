"""Data parallel training: processes are threads here, each with a GPU of the stand-in."""

import re
import threading

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import functions as F
from autodiff.chainer import links as L
from autodiff.chainer.iterators import SerialIterator
from autodiff.chainer.optimizers import SGD, Adam
from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.chainer.training import Trainer
from autodiff.chainer.training.updaters import MultiprocessParallelUpdater, StandardUpdater
from autodiff.chainer.training.updaters.worker import serve
from tests.chainer.gpu.simulated_nccl import nccl
from tests.standin import device as standin_device

__all__ = ["nccl"]


class Model(chainer.Chain):
    """A regression, whose first layer learns its size when it is first called."""

    def __init__(self, lazy=True, seed=0):
        super().__init__()
        generator = np.random.RandomState(seed)
        with self.init_scope():
            self.hidden = L.Linear(None if lazy else 3, 4, initialW=lambda W: fill(W, generator))
            self.top = L.Linear(4, 1, initialW=lambda W: fill(W, np.random.RandomState(1)))
            self.unused = L.Linear(2, 2, initialW=0.5)

    def forward(self, x, t):
        loss = F.mean_squared_error(self.top(F.tanh(self.hidden(x))), t)
        chainer.report({"loss": loss}, self)
        return loss

    def __reduce__(self):  # a worker that makes its own weights would make others
        return rebuilt, (self.__dict__["hidden"].W.array is None, self.serialized())

    def serialized(self):
        serializer = chainer.serializers.DictionarySerializer()
        self.serialize(serializer)
        return serializer.target


def rebuilt(lazy, values):
    model = Model(lazy, seed=99)
    chainer.serializers.NpzDeserializer(values).load(model)
    return model


def fill(array, generator):
    array[...] = chainer.backend.get_array_module(array).asarray(generator.uniform(-1, 1, array.shape))


PROCESS = "process of an updater"


def running():
    """How many of them have not ended."""
    return sum(thread.name == PROCESS for thread in threading.enumerate())


class Threaded(MultiprocessParallelUpdater):
    """Its processes are threads."""

    def started(self, pipe, payload, rank, device):
        thread = threading.Thread(
            target=serve, args=(pipe, payload, rank, len(self._devices), device.name), name=PROCESS
        )
        thread.start()
        return thread


def examples(count, seed=0):
    draws = np.random.RandomState(seed)
    x = draws.uniform(-1, 1, (count, 3)).astype(np.float32)
    return list(zip(x, x.sum(1, keepdims=True)))


def iterators(data, count, batch):
    return [SerialIterator(data[k::count], batch, shuffle=False) for k in range(count)]


def losses(updater, steps):
    found = []
    reporter = chainer.Reporter()
    model = updater.get_optimizer("main").target
    reporter.add_observer("main", model)
    for _ in range(steps):
        with reporter, reporter.scope({}):
            updater.update()
        found.append([param.array.get().copy() for param in model.params()])
    updater.finalize()
    return found


@pytest.mark.parametrize("make", [lambda: SGD(0.1), lambda: Adam(0.05)])
@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("count", [1, 2])
def test_it_updates_as_one_process_with_the_whole_batch(nccl, make, lazy, count):
    data = examples(12)
    whole = StandardUpdater(SerialIterator(data, 6, shuffle=False), make().setup(Model(lazy)), device=0)
    expected = losses(whole, 3)
    parts = Threaded(iterators(data, count, 6 // count), make().setup(Model(lazy)), devices=list(range(count)))
    assert running() == 0
    found = losses(parts, 3)
    assert running() == 0
    for own, its in zip(found, expected, strict=True):
        for a, b in zip(own, its, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_snapshot_reaches_all_processes(nccl, tmp_path):
    data = examples(8)
    path = str(tmp_path / "model")
    save_npz(path, Model(False, seed=5))
    parts = Threaded(iterators(data, 2, 4), SGD(0.1).setup(Model(False)), devices=[0, 1])
    parts.update()
    load_npz(path, parts.get_optimizer("main").target)
    parts.update()
    found = [param.array.get() for param in parts.get_optimizer("main").target.params()]
    parts.finalize()
    alone = Model(False, seed=5)
    SGD(0.1).setup(alone).update(alone, *map(np.stack, zip(*data)))
    for a, b in zip(found, alone.params(), strict=True):
        np.testing.assert_allclose(a, b.array, rtol=1e-5, atol=1e-6)


def test_loss_scale_and_half_precision(nccl):
    data = [(x.astype(np.float16), t.astype(np.float16)) for x, t in examples(8)]
    with chainer.using_config("dtype", np.dtype(np.float16)):
        optimizer = SGD(0.1).setup(Model())
        optimizer.loss_scaling(scale=64.0)
        updater = Threaded(iterators(data, 2, 4), optimizer, devices=[1, 0])
        updater.update()
    alone = Model(False)
    SGD(0.1).setup(alone).update(alone, *(np.stack(part).astype(np.float32) for part in zip(*data)))
    for a, b in zip(optimizer.target.params(), alone.params(), strict=True):
        assert a.dtype == np.float16
        assert a.device.name == "@cupy:1"
        np.testing.assert_allclose(a.array.get(), b.array, atol=4e-3)
    updater.finalize()


def test_trainer_and_epochs(nccl, tmp_path):
    optimizer = SGD(0.1).setup(Model())
    updater = Threaded(iterators(examples(8), 2, 2), optimizer, devices={"second": 1, "main": 0})
    trainer = Trainer(updater, (2, "epoch"), str(tmp_path))
    trainer.run()
    assert (updater.epoch, optimizer.epoch, updater.iteration) == (2, 2, 4)
    assert sorted(trainer.observation) == ["main/loss"]
    assert updater.device.name == updater.input_device.name == "@cupy:0"
    assert running() == 0


class Failing:
    """A converter that fails on a device."""

    def __init__(self, device):
        self.device = device

    def __call__(self, batch, device):
        if standin_device.current() == self.device:
            raise ValueError("no such batch")
        return chainer.dataset.concat_examples(batch, device)


def test_a_failing_process_ends_all(nccl):
    updater = Threaded(iterators(examples(8), 2, 2), SGD().setup(Model(False)), Failing(1), devices=[0, 1])
    with pytest.raises(RuntimeError) as error:
        updater.update()
    first, *_, last = str(error.value).strip().splitlines()
    assert re.fullmatch(r"the process of @cupy:1 failed \(test_multiprocess.py:\d+\):", first)
    assert last == "ValueError: no such batch"
    assert running() == 0


def test_when_the_first_process_fails(nccl):
    updater = Threaded(iterators(examples(8), 2, 2), SGD().setup(Model(False)), Failing(0), devices=[0, 1])
    with pytest.raises(ValueError, match=r"^no such batch$"):
        updater.update()
    assert running() == 0


def test_a_spawned_process_says_what_it_lacks(nccl, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "")
    updater = MultiprocessParallelUpdater(
        iterators(examples(8), 2, 2), SGD().setup(L.Classifier(L.Linear(3, 2))), devices=[0, 1]
    )
    with pytest.raises(RuntimeError) as error:
        updater.update()
    first, *_, last = str(error.value).strip().splitlines()
    assert re.fullmatch(r"the process of @cupy:1 failed \(test_multiprocess.py:\d+\):", first)
    assert last.startswith("RuntimeError: CUDA is not correctly set up (")


def whole_text(error):
    return re.sub(r"test_multiprocess\.py:\d+", "LINE", str(error.value))


WRONG = {
    "count": (2, [0], ValueError, "1 GPUs need as many iterators, got 2 (LINE)"),
    "twice": (2, [0, 0], ValueError, "each process needs a GPU of its own, got @cupy:0, @cupy:0 (LINE); name each GPU once"),
    "host": (2, [0, -1], ValueError, "each process needs a GPU of its own, got @cupy:0, @numpy (LINE); name each GPU once"),
    "none": (1, None, ValueError, "devices is a list of GPUs, or a dict of them with 'main', got None (LINE)"),
    "main": (1, {"a": 0}, KeyError, "\"'devices' must contain a 'main' key (LINE); it has 'a'\""),
    "number": (
        1, [7], ValueError,
        "there is no GPU 7 (LINE): CUDA finds 2, numbered from 0; take one of those, or -1 for the CPU",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_devices(nccl, name):
    count, devices, kind, text = WRONG[name]
    with pytest.raises(kind) as error:
        MultiprocessParallelUpdater(iterators(examples(4), count, 1), SGD().setup(Model()), devices=devices)
    assert whole_text(error) == text


def test_wrong_data(nccl):
    parts = [SerialIterator(examples(4), 2), SerialIterator(examples(6), 2)]
    with pytest.raises(ValueError, match=r"^the data of the iterators have different lengths, \[4, 6\] ") as error:
        MultiprocessParallelUpdater(parts, SGD().setup(Model()), devices=[0, 1])
    assert whole_text(error).endswith("(LINE); datasets.split_dataset_n_random makes equal ones")


def test_a_loss_that_is_none(nccl):
    updater = Threaded(
        iterators(examples(4), 1, 2), SGD().setup(L.Linear(3, 1)), lambda batch, device: np.ones((1, 3), "f"), [0]
    )
    updater._model.forward = lambda x: 3
    with pytest.raises(TypeError, match=r"^the loss function must return a Variable, got int "):
        updater.update()


def test_dtypes_that_nccl_does_not_know(nccl):
    link = chainer.Link()
    with link.init_scope():
        link.w = chainer.Parameter(np.zeros(2, np.complex64))
    updater = Threaded(iterators(examples(4), 1, 2), SGD().setup(link), devices=[0])
    text = "NCCL passes no arrays of dtype complex64 between GPUs (LINE); cast the parameter to a floating-point dtype"
    with pytest.raises(TypeError) as error:
        updater.update()
    assert whole_text(error) == text


def test_without_nccl(cupy):
    assert not MultiprocessParallelUpdater.available()
    with pytest.raises(RuntimeError) as error:
        MultiprocessParallelUpdater([None], None, devices=[0])
    assert re.sub(r"\(ImportError: .*location\)\)", "(WHY)", whole_text(error)) == (
        "NCCL is not available (WHY) (LINE); install it for the version of CUDA (pip install nvidia-nccl-cu12, say), "
        "or train on one GPU with StandardUpdater"
    )
