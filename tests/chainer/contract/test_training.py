"""The contract, 1.20: optimizers and reporters."""

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import Parameter, Variable, optimizers


class Model(chainer.Link):
    def __init__(self, value=1.0, dtype=np.float32):
        super().__init__()
        with self.init_scope():
            self.W = Parameter(np.full(2, value, dtype))

    def forward(self, x):
        return chainer.functions.sum(self.W * x)


def test_contract_155_setup_and_update():
    model = Model()
    optimizer = optimizers.SGD(lr=0.5)
    assert optimizer.setup(model) is optimizer
    with pytest.raises(TypeError):
        optimizers.SGD().setup("no link")
    array = model.W.array
    model.W.grad = np.array([1, 2], np.float32)
    optimizer.update()
    assert model.W.array is array
    assert array.tolist() == [0.5, 0]
    assert optimizer.t == 1
    model.W.grad = None
    optimizer.update()
    assert array.tolist() == [0.5, 0]
    model.W.grad = np.full(2, 100, np.float32)
    optimizer.update(model, np.array([1, 2], np.float32))
    assert array.tolist() == [0, -1]
    assert optimizer.t == 3


def test_contract_155_hooks():
    with pytest.raises(RuntimeError):
        optimizers.SGD().add_hook(lambda optimizer: None)
    calls = []

    def hook(name, timing=None):
        def call(optimizer):
            calls.append((name, model.W.array.tolist()))

        if timing is not None:
            call.timing = timing
        return call

    model = Model()
    optimizer = optimizers.SGD(lr=1).setup(model)
    optimizer.add_hook(hook("before"), name="before", timing="pre")
    optimizer.add_hook(hook("after"), name="after", timing="post")
    optimizer.add_hook(hook("removed"), name="removed")
    with pytest.raises(KeyError):
        optimizer.add_hook(hook("before"), name="before")
    optimizer.remove_hook("removed")
    model.W.grad = np.ones(2, np.float32)
    optimizer.update()
    assert calls == [("before", [1, 1]), ("after", [0, 0])]


def test_contract_155_hyperparameters():
    model = Model()
    optimizer = optimizers.MomentumSGD(lr=0.1, momentum=0.9).setup(model)
    rule = model.W.update_rule
    assert (optimizer.lr, rule.hyperparam.lr) == (0.1, 0.1)
    optimizer.lr = 0.2
    assert rule.hyperparam.lr == 0.2
    rule.hyperparam.lr = 0.3
    assert (optimizer.lr, rule.hyperparam.lr) == (0.2, 0.3)
    assert optimizer.hyperparam.get_dict() == {"lr": 0.2, "momentum": 0.9}
    assert optimizers.Adam(alpha=0.5).alpha == 0.5


def test_contract_155_epochs():
    optimizer = optimizers.SGD().setup(Model())
    assert (optimizer.t, optimizer.epoch) == (0, 0)
    optimizer.new_epoch()
    assert optimizer.epoch == 1


def test_contract_156_single_precision_updates():
    model = Model(1, np.float16)
    optimizer = optimizers.SGD(lr=1e-4)
    optimizer.use_fp32_update()
    optimizer.setup(model)
    for _ in range(10):
        model.W.grad = np.ones(2, np.float16)
        optimizer.update()
    assert model.W.dtype == np.float16
    np.testing.assert_array_equal(model.W.array, np.full(2, 1 - 10 * 1e-4, np.float16))


def test_contract_156_loss_scaling():
    model = Model()
    optimizer = optimizers.SGD(lr=1).setup(model)
    optimizer.loss_scaling(scale=8)
    optimizer.update(model, np.array([1, 2], np.float32))
    assert model.W.grad.tolist() in ([8, 16], [1, 2])
    assert model.W.array.tolist() == [0, -1]
    model = Model()
    optimizer = optimizers.SGD(lr=1).setup(model)
    optimizer.loss_scaling(interval=2)
    optimizer.set_loss_scale(8)
    with pytest.warns(UserWarning, match="Non finite number found in param.grad of /W"):
        optimizer.update(model, np.full(2, np.inf, np.float32))
    assert model.W.array.tolist() == [1, 1]


def test_contract_156_rules():
    model = Model()
    optimizer = optimizers.Adam().setup(model)
    model.W.update_rule.enabled = False
    model.W.grad = np.ones(2, np.float32)
    optimizer.update()
    assert model.W.array.tolist() == [1, 1]
    model.W.update_rule.enabled = True
    optimizer.update()
    assert sorted(model.W.update_rule.state) == ["m", "v"]


def test_contract_157_keys(tmp_path):
    model = chainer.Chain(l1=Model(), l2=chainer.Sequential(Model()))
    optimizer = optimizers.Adam().setup(model)
    for parameter in model.params():
        parameter.grad = np.ones(2, np.float32)
    optimizer.update()
    chainer.serializers.save_npz(tmp_path / "model.npz", model)
    chainer.serializers.save_npz(tmp_path / "optimizer.npz", optimizer)
    assert sorted(np.load(tmp_path / "model.npz")) == ["l1/W", "l2/0/W"]
    assert sorted(np.load(tmp_path / "optimizer.npz")) == [
        "epoch", "l1/W/m", "l1/W/t", "l1/W/v", "l2/0/W/m", "l2/0/W/t", "l2/0/W/v", "t",
    ]  # fmt: skip
    model.l1.W.array[...] = 7
    chainer.serializers.load_npz(tmp_path / "model.npz", model)
    assert (model.l1.W.array < 1).all()


def test_contract_158_reporter():
    reporter, observer = chainer.Reporter(), Model()
    reporter.add_observer("main", observer)
    chainer.report({"nobody": "listens"})
    loss = Variable(np.array(2.0)) * 2
    with reporter:
        chainer.report({"loss": loss, "plain": 1}, observer)
        chainer.report({"alone": 3})
        with pytest.raises(KeyError):
            chainer.report({"loss": 1}, Model())
    assert sorted(reporter.observation) == ["alone", "main/loss", "main/plain"]
    assert reporter.observation["main/loss"].creator is None
    observation = {}
    with reporter.scope(observation), chainer.using_config("keep_graph_on_report", True):
        chainer.report({"loss": loss}, observer)
    assert observation["main/loss"].creator is not None


def test_contract_158_summaries():
    summary = chainer.Summary()
    for value in (1, 2, 3):
        summary.add(np.array(value, np.float32))
    assert summary.compute_mean() == 2
    mean, std = summary.make_statistics()
    assert mean == 2
    np.testing.assert_allclose(std, np.std([1, 2, 3]), rtol=1e-6)
    summary = chainer.DictSummary()
    summary.add({"a": 1.0, "b": (10.0, 3)})
    summary.add({"a": 3.0, "b": (20.0, 1)})
    assert summary.compute_mean() == {"a": 2, "b": 12.5}
