"""A line through the origin, fitted to t = 2x on five examples in minibatches of two."""

import numpy as np
import pytest

from autodiff.chainer.link import Link
from autodiff.chainer.optimizers.sgd import SGD
from autodiff.chainer.reporter import report
from autodiff.chainer.training import StandardUpdater, Trainer
from autodiff.facade import Parameter


class Line(Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = Parameter(np.zeros(1, np.float32))

    def forward(self, x, t):
        loss = ((self.w * x - t) ** 2).mean()
        report({"loss": loss, "size": len(x)}, self)
        return loss


class Minibatches:
    """The least that an updater and an evaluator need of an iterator."""

    batch_size, dataset = 2, [(np.float32(x), np.float32(2 * x)) for x in range(5)]

    def __init__(self, repeat=True):
        self.repeat = repeat
        self.finalized = 0
        self.reset()

    def reset(self):
        self.epoch, self.current_position, self.is_new_epoch, self.previous_epoch_detail = 0, 0, False, None

    @property
    def epoch_detail(self):
        return self.epoch + self.current_position / len(self.dataset)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.repeat and self.epoch > 0:
            raise StopIteration
        self.previous_epoch_detail = self.epoch_detail
        batch = self.dataset[self.current_position : self.current_position + self.batch_size]
        self.current_position += self.batch_size
        self.is_new_epoch = self.current_position >= len(self.dataset)
        if self.is_new_epoch:
            self.current_position = 0
            self.epoch += 1
        return batch

    next = __next__

    def finalize(self):
        self.finalized += 1

    def serialize(self, serializer):
        self.current_position = serializer("current_position", self.current_position)
        self.epoch = serializer("epoch", self.epoch)


@pytest.fixture
def line():
    return Line()


@pytest.fixture
def minibatches():
    return Minibatches


@pytest.fixture
def make_trainer(tmp_path):
    """A function that makes a trainer; it takes a stop trigger, the model, and keywords of the updater."""

    def make(stop_trigger=(2, "epoch"), model=None, out=tmp_path / "result", extensions=None, **keywords):
        optimizer = SGD(0.01).setup(Line() if model is None else model)
        updater = StandardUpdater(Minibatches(), optimizer, **keywords)
        return Trainer(updater, stop_trigger, str(out), extensions)

    return make


class Clock:
    """An updater and a trainer in one that only count."""

    def __init__(self, iterations_per_epoch=3):
        self.updater = self
        self.iterations_per_epoch = iterations_per_epoch
        self.iteration = 0
        self.observation = {}
        self.lr = 1.0

    @property
    def epoch_detail(self):
        return self.iteration / self.iterations_per_epoch

    @property
    def previous_epoch_detail(self):
        return (self.iteration - 1) / self.iterations_per_epoch

    @property
    def epoch(self):
        return int(self.epoch_detail)

    @property
    def elapsed_time(self):
        return 0.7 * self.iteration

    def get_optimizer(self, name):
        return self

    def times(self, trigger, count, **observed):
        """The iterations in which a trigger fires; values are observed in turn."""
        fired = []
        for step in range(count):
            self.iteration += 1
            self.observation = {key: values[step] for key, values in observed.items() if step < len(values)}
            if trigger(self):
                fired.append(self.iteration)
        return fired


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make_clock():
    return Clock


@pytest.fixture
def through_file(tmp_path):
    """A function that saves one object to a file and loads another one from it."""
    from autodiff.chainer.serializers import load_npz, save_npz

    def copy_state(source, target, **keywords):
        save_npz(tmp_path / "state", source)
        load_npz(tmp_path / "state", target, **keywords)
        return target

    return copy_state
