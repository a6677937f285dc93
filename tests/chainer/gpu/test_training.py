"""Training on GPUs gives the losses of training on the host, with a stand-in for CuPy that has two."""

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import functions as F
from autodiff.chainer import links as L
from autodiff.chainer import optimizers
from autodiff.chainer.dataset import concat_examples, to_device
from autodiff.chainer.dataset.convert import ConcatWithAsyncTransfer
from autodiff.chainer.iterators import SerialIterator
from autodiff.chainer.optimizer_hooks import (
    GradientClipping,
    GradientHardClipping,
    GradientLARS,
    GradientNoise,
    Lasso,
    WeightDecay,
)
from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.chainer.training import Trainer, extensions
from autodiff.chainer.training.updaters import ParallelUpdater, StandardUpdater

OPTIMIZERS = (
    "AdaDelta", "AdaGrad", "Adam", "AdamW", "AMSGrad", "AdaBound", "AMSBound", "CorrectedMomentumSGD", "MomentumSGD",
    "MSVAG", "NesterovAG", "RMSprop", "RMSpropGraves", "SGD", "SMORMS3",
)  # fmt: skip


class Perceptron(chainer.Chain):
    shape = (3,)

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(None, 5)
            self.norm = L.BatchNormalization(5)
            self.top = L.Linear(5, 2)

    def forward(self, x):
        return self.top(F.dropout(F.relu(self.norm(self.hidden(x))), 0.25))


class Convolutional(chainer.Chain):
    shape = (2, 6, 5)

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Convolution2D(2, 3, 3, pad=1)
            self.second = L.Convolution2D(None, 4, (3, 2), stride=2)
            self.top = L.Linear(None, 2)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.first(x)), 2, stride=1)
        return self.top(F.average_pooling_2d(F.relu(self.second(h)), 2, stride=1))


class Recurrent(chainer.Chain):
    shape = (4,)

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(7, 3)
            self.lstm = L.LSTM(3, 4)
            self.top = L.Linear(4, 2)

    def forward(self, x):
        self.lstm.reset_state()
        with chainer.using_device(chainer.backend.get_device_from_array(x)):
            words = (abs(x) * 100).astype("i") % 7
        for step in range(x.shape[1]):
            h = self.lstm(self.embed(words[:, step]))
        return self.top(h)


def examples(shape, count=12):
    draws = np.random.RandomState(3)
    return [(draws.standard_normal(shape).astype(np.float32), np.int32(k % 2)) for k in range(count)]


def model_of(kind):
    """A classifier, whose weights are the same wherever it is made."""
    np.random.seed(0)  # noqa: NPY002 - initializers draw from it
    model = L.Classifier(kind())
    with chainer.using_config("train", False):
        model(*concat_examples(examples(kind.shape, 2)))
    return model


def losses(kind, optimizer, device, steps=4, hooks=()):
    """The losses of a few updates on a device, and the optimizer."""
    device = chainer.get_device(device)
    optimizer.setup(model_of(kind))
    for hook in hooks:
        optimizer.add_hook(hook)
    data = examples(kind.shape)
    updater = StandardUpdater(SerialIterator(data, 6, shuffle=False), optimizer, device=device)
    device.xp.random.seed(1)
    found = []
    for _ in range(steps):
        updater.update()
        loss = optimizer.target.loss
        assert loss.device == device
        found.append(loss.item())
    for param in optimizer.target.params():
        assert param.device == device
        assert param.update_rule.state is None or all(map(device.is_array_supported, param.update_rule.state.values()))
    return found


@pytest.mark.parametrize("kind", [Perceptron, Convolutional, Recurrent])
def test_models(cupy, kind):
    host = losses(kind, optimizers.Adam(0.01), "@numpy")
    for device in (0, 1):
        np.testing.assert_allclose(losses(kind, optimizers.Adam(0.01), device), host, rtol=1e-4)
    assert host[0] != host[-1]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(cupy, name):
    kind = getattr(optimizers, name)
    np.testing.assert_allclose(losses(Perceptron, kind(), 1), losses(Perceptron, kind(), -1), rtol=1e-4)


def test_all_optimizers_are_tested():
    found = {name for name in vars(optimizers) if isinstance(getattr(optimizers, name), type) and name[0].isupper()}
    assert {name for name in found if not name.endswith("Rule")} == set(OPTIMIZERS)


def fixed_noise(xp, shape, dtype, hook, opt):
    return xp.full(shape, 0.01, dtype)


@pytest.mark.parametrize(
    "hook",
    [
        WeightDecay(0.1), Lasso(0.1), GradientClipping(0.1), GradientHardClipping(-0.01, 0.01), GradientLARS(),
        GradientNoise(0.1, fixed_noise),
    ],
    ids=lambda hook: hook.name,
)  # fmt: skip
def test_hooks(cupy, hook):
    there, host = (losses(Perceptron, optimizers.SGD(0.1), device, hooks=[hook]) for device in (1, -1))
    np.testing.assert_allclose(there, host, rtol=1e-4)


def test_the_state_of_an_optimizer_follows(cupy):
    optimizer = optimizers.Adam().setup(model_of(Perceptron))
    optimizer.use_fp32_update()
    for device in (0, 1, "@numpy", 0):
        optimizer.target.to_device(device)
        batch = concat_examples(examples((3,), 4), device)
        optimizer.update(optimizer.target, *batch)
        for param in optimizer.target.params():
            assert all(map(param.device.is_array_supported, param.update_rule.state.values()))


def test_snapshots_of_optimizers(cupy, tmp_path):
    path = str(tmp_path / "optimizer")
    optimizer = optimizers.Adam(0.01)
    losses(Perceptron, optimizer, 1)
    save_npz(path, optimizer)
    other = optimizers.Adam(0.01).setup(model_of(Perceptron).to_device(0))
    load_npz(path, other)
    assert other.t == 4
    other.update(other.target, *concat_examples(examples((3,), 4), 0))
    for param, its in zip(other.target.params(), optimizer.target.params(), strict=True):
        assert param.update_rule.state["m"].device.id == 0
        assert param.update_rule.state["m"].shape == its.array.shape


def test_batches_of_examples(cupy):
    arrays = [(np.ones(2, "f"), 1), (np.zeros(2, "f"), 2)]
    for convert in (concat_examples, ConcatWithAsyncTransfer()):
        x, t = convert(arrays, 1)
        assert (x.device.id, t.device.id) == (1, 1)
        np.testing.assert_equal(x.get(), [[1, 1], [0, 0]])
        x, t = convert(arrays, -1)
        assert type(x) is np.ndarray
    padded = concat_examples([np.ones(1, "f"), np.ones(3, "f")], "@cupy:0", padding=-1)
    np.testing.assert_equal(padded.get(), [[1, -1, -1], [1, 1, 1]])
    device = chainer.get_device(0)
    there = [(device.send(x), t) for x, t in arrays]
    x, t = concat_examples(there)
    assert device.is_array_supported(x)
    assert type(t) is np.ndarray
    assert [part.device.id for part in to_device(1, (x, t))] == [1, 1]
    assert type(concat_examples(there, -1)[0]) is np.ndarray


def test_a_trainer_with_all_that_belongs_to_it(cupy, tmp_path):
    data = examples((3,))
    optimizer = optimizers.MomentumSGD(0.1).setup(model_of(Perceptron))
    updater = StandardUpdater(SerialIterator(data, 4, shuffle=False), optimizer, device=1)
    trainer = Trainer(updater, (2, "epoch"), str(tmp_path))
    trainer.extend(
        extensions.Evaluator(SerialIterator(data, 4, repeat=False, shuffle=False), optimizer.target, device=1)
    )
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.snapshot(filename="snapshot"), trigger=(2, "epoch"))
    trainer.extend(extensions.FailOnNonNumber())
    trainer.extend(extensions.ParameterStatistics(optimizer.target))
    trainer.run()
    logs = trainer.get_extension("LogReport").log
    assert len(logs) == 2
    assert np.isfinite(logs[-1]["validation/main/loss"])
    assert isinstance(logs[-1]["main/loss"], float)
    assert isinstance(logs[-1]["main/accuracy"], float)
    again = optimizers.MomentumSGD(0.1).setup(model_of(Perceptron))
    resumed = Trainer(
        StandardUpdater(SerialIterator(data, 4, shuffle=False), again, device=0), (3, "epoch"), str(tmp_path)
    )
    load_npz(str(tmp_path / "snapshot"), resumed)
    assert resumed.updater.iteration == 6
    for own, its in zip(again.target.params(), optimizer.target.params(), strict=True):
        assert own.device == chainer.get_device(0)
        np.testing.assert_equal(own.array.get(), its.array.get())
    resumed.run()
    assert resumed.updater.epoch == 3


@pytest.mark.parametrize("devices", [{"main": 0, "second": 1}, {"main": 1, "second": -1}, {"main": -1, "second": 0}])
def test_parallel_updates(cupy, devices):
    found = []
    for places in (devices, dict.fromkeys(devices, -1)):
        with chainer.using_config("train", False):  # no dropout, and no running statistics
            optimizer = optimizers.SGD(0.05).setup(model_of(Perceptron))
            updater = ParallelUpdater(SerialIterator(examples((3,)), 4, shuffle=False), optimizer, devices=places)
            for _ in range(3):
                updater.update()
        for name, model in updater._models.items():
            assert {param.device for param in model.params()} == {chainer.get_device(places[name])}
        found.append([chainer.cuda.to_cpu(param.array) for param in optimizer.target.params()])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_reports(cupy):
    loss = chainer.Variable(chainer.get_device(1).send(np.float32(2.5)))
    reporter = chainer.Reporter()
    with reporter:
        chainer.report({"loss": loss, "rate": loss.array})
    summary = chainer.reporter.DictSummary()
    for _ in range(2):
        summary.add(reporter.observation)
    assert {name: float(value) for name, value in summary.compute_mean().items()} == {"loss": 2.5, "rate": 2.5}
