"""Updates of one model, and of several copies of it."""

import numpy as np
import pytest

from autodiff.chainer.backends import cuda
from autodiff.chainer.dataset import concat_examples, converter
from autodiff.chainer.links import Linear
from autodiff.chainer.optimizers.sgd import SGD
from autodiff.chainer.sequential import Sequential
from autodiff.chainer.training import ParallelUpdater, StandardUpdater, Updater, updaters
from autodiff.chainer.training.updaters import multiprocess_parallel_updater


@pytest.fixture
def optimizer(line):
    return SGD(0.01).setup(line)


def test_one_update(optimizer, line, minibatches):
    updater = StandardUpdater(minibatches(), optimizer)
    updater.update()
    # the loss is ((0 w - 0)^2 + (1 w - 2)^2) / 2, whose gradient at w = 0 is -2
    np.testing.assert_allclose(line.w.array, [0.02])
    assert (updater.iteration, updater.epoch, updater.is_new_epoch) == (1, 0, False)
    assert (updater.previous_epoch_detail, updater.epoch_detail) == (0.0, 0.4)


def test_epochs_reach_the_optimizer(optimizer, minibatches):
    updater = StandardUpdater(minibatches(), optimizer)
    for _ in range(6):
        updater.update()
    assert (updater.epoch, optimizer.epoch) == (2, 2)


def test_epochs_do_not_reach_the_optimizer(optimizer, minibatches):
    updater = StandardUpdater(minibatches(), optimizer, auto_new_epoch=False)
    for _ in range(6):
        updater.update()
    assert (updater.epoch, optimizer.epoch) == (2, 0)


@pytest.mark.parametrize(
    ("convert", "loss_func"),
    [
        (lambda batch, device: ("x", "t"), lambda x, t: (x, t)),
        (lambda batch, device: {"t": "t", "x": "x"}, lambda x, t: (x, t)),
        (lambda batch, device: "xt", tuple),
    ],
)
def test_tuples_are_arguments_and_dicts_keywords(optimizer, minibatches, convert, loss_func):
    seen = []
    optimizer.update = lambda function, *arguments, **keywords: seen.append(function(*arguments, **keywords))
    StandardUpdater(minibatches(), optimizer, convert, loss_func=loss_func).update()
    assert seen == [("x", "t")]


@pytest.mark.parametrize(("device", "plain", "new"), [(None, "None", "None"), (-1, "-1", "<CpuDevice (numpy)>")])
def test_what_converters_get(optimizer, minibatches, device, plain, new):
    seen = []

    def old_style(batch, device):
        seen.append(repr(device))
        return ()

    @converter()
    def new_style(batch, device):
        seen.append(repr(device))
        return ()

    optimizer.update = lambda function: None
    StandardUpdater(minibatches(), optimizer, old_style, device).update()
    StandardUpdater(minibatches(), optimizer, new_style, device).update()
    assert seen == [plain, new]


def test_devices(optimizer, minibatches):
    updater = StandardUpdater(minibatches(), optimizer)
    assert (updater.device, updater.input_device) == (None, None)
    updater = StandardUpdater(minibatches(), optimizer, input_device="@numpy")
    assert (updater.device, updater.input_device.name) == (None, "@numpy")


def test_parts_by_name(optimizer, minibatches, line):
    iterators = {"main": minibatches(), "second": minibatches()}
    updater = StandardUpdater(iterators, {"main": optimizer})
    assert updater.get_iterator("second") is iterators["second"]
    assert updater.get_optimizer("main") is optimizer
    assert updater.get_all_optimizers() == {"main": optimizer}
    updater.finalize()
    assert [each.finalized for each in iterators.values()] == [1, 1]


def test_loss_scale_reaches_all_optimizers(optimizer, minibatches):
    seen = []
    optimizer.set_loss_scale = seen.append
    StandardUpdater(minibatches(), {"main": optimizer, "second": optimizer}, loss_scale=8.0)
    assert seen == [8.0, 8.0]


def test_keys_in_a_snapshot(optimizer, minibatches, through_file, tmp_path):
    updater = StandardUpdater(minibatches(), optimizer)
    updater.update()
    other = StandardUpdater(minibatches(), SGD(0.01).setup(type(optimizer.target)()))
    through_file(updater, other)
    assert (other.iteration, other.epoch_detail) == (1, 0.4)
    np.testing.assert_array_equal(other.get_optimizer("main").target.w.array, optimizer.target.w.array)
    with np.load(tmp_path / "state") as saved:
        assert sorted(saved) == [
            "iteration", "iterator:main/current_position", "iterator:main/epoch", "model:main/w",
            "optimizer:main/epoch", "optimizer:main/t", "optimizer:main/w/t",
        ]  # fmt: skip


def test_parallel_updates_as_much_as_one(optimizer, line, minibatches):
    updater = ParallelUpdater(minibatches(), optimizer, devices={"main": -1, "second": -1})
    updater.update()
    # each example is alone, so that the sum of two losses has twice the gradient of their mean
    np.testing.assert_allclose(line.w.array, [0.04])
    second = updater._models["second"]
    assert second is not line
    np.testing.assert_array_equal(second.w.array, line.w.array)


def test_parallel_with_given_models(optimizer, line, minibatches):
    copy = type(line)()
    ParallelUpdater(minibatches(), optimizer, models={"main": line, "second": copy}).update()
    np.testing.assert_allclose(copy.w.array, [0.04])


def test_parallel_models_report_by_name(optimizer, minibatches, tmp_path):
    from autodiff.chainer.training import Trainer

    updater = ParallelUpdater(minibatches(), optimizer, devices={"main": -1, "second": -1})
    trainer = Trainer(updater, (1, "iteration"), str(tmp_path))
    trainer.run()
    assert sorted(trainer.observation) == ["main/loss", "main/size", "second/loss", "second/size"]


def test_parallel_without_devices(optimizer, minibatches):
    text = (
        r"^either models or devices must be specified \(test_updaters.py:\d+\), "
        r"for example devices={'main': 0, 'second': 1}$"
    )
    with pytest.raises(ValueError, match=text):
        ParallelUpdater(minibatches(), optimizer)


def test_parallel_without_main(optimizer, minibatches):
    with pytest.raises(KeyError, match=r"'devices' must contain a 'main' key \(test_updaters.py:\d+\); it has 'a'"):
        ParallelUpdater(minibatches(), optimizer, devices={"a": -1})


def test_multiprocess_needs_gpus(optimizer, minibatches):
    if cuda.available:
        pytest.skip("there is a GPU")
    assert not updaters.MultiprocessParallelUpdater.available()
    with pytest.raises(RuntimeError, match=r"^CUDA is not correctly set up "):
        updaters.MultiprocessParallelUpdater([minibatches()], optimizer, devices=[0])


def test_an_abstract_updater():
    with pytest.raises(NotImplementedError, match=r"^Updater must define update\(self\)$"):
        Updater().update()
    Updater().connect_trainer(None)
    Updater().finalize()


class Adversaries(StandardUpdater):
    """Updates two models in turns, as programs with a generator and a discriminator do."""

    def update_core(self):
        batch = self.converter(self.get_iterator("main").next(), self.device)
        for name in ("gen", "dis"):
            optimizer = self.get_optimizer(name)
            optimizer.update(optimizer.target, *batch)


@pytest.mark.parametrize("parallel", [False, True])
def test_optimizers_of_any_names(line, minibatches, parallel):
    optimizers = {"gen": SGD(0.01).setup(line), "dis": SGD(0.02).setup(type(line)())}
    if parallel:
        updater = ParallelUpdater(minibatches(), optimizers, models={"gen": line})
    else:
        updater = Adversaries(minibatches(), optimizers)
        updater.update()
        np.testing.assert_allclose([optimizer.target.w.array[0] for optimizer in optimizers.values()], [0.02, 0.04])
    assert updater.get_all_optimizers() == optimizers
    assert [optimizer.use_auto_new_epoch for optimizer in optimizers.values()] == [True, True]
    with pytest.raises(KeyError):
        updater.get_optimizer("main")


def test_training_with_optimizers_of_any_names(line, minibatches, tmp_path):
    from autodiff.chainer.training import Trainer, extensions

    optimizers = {"gen": SGD(0.01).setup(line), "dis": SGD(0.02).setup(type(line)())}
    trainer = Trainer(Adversaries(minibatches(), optimizers), (2, "epoch"), str(tmp_path))
    trainer.extend(extensions.snapshot(filename="last"), trigger=(1, "epoch"))
    trainer.extend(extensions.LogReport())
    trainer.run()
    assert sorted(trainer.get_extension("LogReport").log[-1]) == [
        "dis/loss", "dis/size", "elapsed_time", "epoch", "gen/loss", "gen/size", "iteration",
    ]  # fmt: skip
    with np.load(tmp_path / "last") as saved:
        assert {"updater/model:gen/w", "updater/optimizer:dis/t"} <= set(saved)


def test_gradients_and_parameters_travel_as_one_array():
    exchange = multiprocess_parallel_updater
    model, other = (Sequential(Linear(2, 2, initialW=fill), Linear(2, 1, initialW=fill)) for fill in (1.0, 2.0))
    model[0].W.grad, model[1].b.grad = np.arange(4.0, dtype=np.float32).reshape(2, 2), None
    for name in ("0/b", "1/W"):
        place, parameter = name.split("/")
        getattr(model[int(place)], parameter).grad[...] = 7
    assert exchange.size_num_grads(model) == (9, 4)
    gradients, parameters = exchange.gather_grads(model), exchange.gather_params(model)
    assert (gradients.dtype, gradients.tolist()) == (np.float32, [0, 1, 2, 3, 7, 7, 7, 7, 0])
    other[0].W.grad = None
    exchange.scatter_grads(other, gradients)
    exchange.scatter_params(other, parameters)
    for (_, mine), (_, theirs) in zip(sorted(model.namedparams()), sorted(other.namedparams()), strict=True):
        np.testing.assert_array_equal(mine.array, theirs.array)
        np.testing.assert_array_equal(0 if mine.grad is None else mine.grad, theirs.grad)
    with pytest.raises(ValueError, match="the parameters have 9 elements, the array has 3"):
        exchange.scatter_params(other, parameters[:3])


def test_a_subclass_that_calls_no_constructor_sets_its_device(optimizer, line, minibatches):
    class Own(StandardUpdater):
        def __init__(self):
            self._iterators, self._optimizers = {"main": minibatches()}, {"main": optimizer}
            self.converter, self.loss_func, self.auto_new_epoch = concat_examples, None, False
            self.iteration, self.device = 0, -1

    updater = Own()
    updater.update()
    assert (updater.device, updater.iteration) == (-1, 1)
    np.testing.assert_allclose(line.w.array, [0.02])
