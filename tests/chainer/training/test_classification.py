"""A classifier trained on random data with everything that examples use, stopped in the middle, and gone on with."""

import io
import os
import re

import numpy as np
import pytest

from autodiff.chainer.chain import Chain
from autodiff.chainer.datasets import TupleDataset
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.iterators import SerialIterator
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.model.classifier import Classifier
from autodiff.chainer.optimizers.adam import Adam
from autodiff.chainer.serializers import load_npz
from autodiff.chainer.training import StandardUpdater, Trainer, extensions, triggers

ENTRIES = [
    "epoch", "iteration", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time",
]  # fmt: skip


class MLP(Chain):
    def __init__(self, units, classes):
        super().__init__()
        with self.init_scope():
            self.l1 = Linear(None, units)
            self.l2 = Linear(units, classes)

    def forward(self, x):
        return self.l2(relu(self.l1(x)))


@pytest.fixture
def classes():
    """Points that a line divides."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 4)).astype(np.float32)
    return TupleDataset(points, (points.sum(axis=1) > 0).astype(np.int32))


@pytest.fixture
def make(classes, tmp_path):
    def make_trainer(epochs, out="result"):
        np.random.seed(0)  # noqa: NPY002 - as a Chainer program does
        model = Classifier(MLP(8, 2))
        optimizer = Adam(0.05).setup(model)
        train, test = SerialIterator(classes, 10), SerialIterator(classes, 25, repeat=False, shuffle=False)
        trainer = Trainer(StandardUpdater(train, optimizer), (epochs, "epoch"), str(tmp_path / out))
        trainer.printed = io.StringIO()
        trainer.extend(extensions.Evaluator(test, model))
        trainer.extend(extensions.DumpGraph("main/loss"))
        trainer.extend(
            extensions.snapshot_object(model, "best"), trigger=triggers.MaxValueTrigger("validation/main/accuracy")
        )
        trainer.extend(extensions.snapshot())  # after what shall not be asked again when training goes on
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.observe_value("alpha", lambda trainer: optimizer.alpha))
        trainer.extend(extensions.ExponentialShift("alpha", 0.9), trigger=(1, "epoch"))
        trainer.extend(extensions.PrintReport(ENTRIES, out=trainer.printed))
        trainer.extend(extensions.ProgressBar(update_interval=10, out=trainer.printed))
        return trainer

    return make_trainer


def weights(trainer):
    return {name: param.array for name, param in trainer.updater.get_optimizer("main").target.namedparams()}


def test_it_learns(make):
    trainer = make(10)
    trainer.run()
    log = trainer.get_extension("LogReport").log
    assert [entry["iteration"] for entry in log] == [6 * epoch for epoch in range(1, 11)]
    assert log[-1]["validation/main/accuracy"] > 0.95
    assert log[-1]["main/loss"] < log[0]["main/loss"] / 2


def test_what_it_writes(make):
    trainer = make(2)
    trainer.run()
    assert set(os.listdir(trainer.out)) >= {"cg.dot", "log", "snapshot_iter_6", "snapshot_iter_12", "best"}
    with np.load(os.path.join(trainer.out, "snapshot_iter_12"), allow_pickle=True) as saved:
        parts = {name for name in saved if name.startswith("updater/")}
    assert parts == {
        "updater/iteration", "updater/iterator:main/current_position", "updater/iterator:main/epoch",
        "updater/iterator:main/is_new_epoch", "updater/iterator:main/order", "updater/iterator:main/previous_epoch_detail",
        "updater/optimizer:main/t", "updater/optimizer:main/epoch",
    } | {
        f"updater/model:main/predictor/{name}" for name in ("l1/W", "l1/b", "l2/W", "l2/b")
    } | {
        f"updater/optimizer:main/predictor/{name}/{state}"
        for name in ("l1/W", "l1/b", "l2/W", "l2/b") for state in ("m", "t", "v")
    }  # fmt: skip


def test_what_it_prints(make):
    trainer = make(2)
    trainer.run()
    lines = trainer.printed.getvalue().split("\n")
    assert lines[0] == (
        "epoch       iteration   main/loss   validation/main/loss  main/accuracy  validation/main/accuracy  elapsed_time"
    )
    number = r"[\d.e+-]+ +"
    assert re.fullmatch(r"\033\[J1 {11}6 {11}" + number * 5, lines[1])
    assert "     total [#########################################.........] 83.33%" in trainer.printed.getvalue()


def test_it_goes_on_from_a_snapshot_as_if_never_stopped(make):
    whole = make(3, "whole")
    whole.run()
    make(2).run()
    resumed = make(3)
    load_npz(os.path.join(resumed.out, "snapshot_iter_12"), resumed)
    resumed.run()
    for name, array in weights(whole).items():  # the order of the third epoch is in the snapshot
        np.testing.assert_array_equal(weights(resumed)[name], array)
    logs = [trainer.get_extension("LogReport").log for trainer in (resumed, whole)]
    for entry in (*logs[0], *logs[1]):
        assert entry.pop("elapsed_time") > 0
    assert logs[0] == logs[1]
