"""Statistics and plots of parameters, plots of reports."""

import os

import numpy as np
import pytest

from autodiff.chainer.link import Link
from autodiff.chainer.training import extensions
from autodiff.chainer.training.extensions.variable_statistics_plot import Reservoir, Statistician, _unpack_variables
from autodiff.facade import Parameter, Variable


class Weights(Link):
    """A link with known numbers."""

    def __init__(self):
        super().__init__()
        self.name = "weights"
        with self.init_scope():
            self.w = Parameter(np.array([[0.0, 1.0], [2.0, 5.0]]))
        self.w.grad = np.array([[1.0, np.nan], [0.0, 0.0]])


@pytest.fixture
def weights():
    return Weights()


def test_statistics(make_trainer, weights):
    trainer = make_trainer((2, "iteration"))
    trainer.extend(extensions.ParameterStatistics(weights, report_grads=False, trigger=(2, "iteration")))
    trainer.run()
    found = {key: value for key, value in trainer.observation.items() if key.startswith("weights")}
    assert found == pytest.approx(
        {
            "weights/w/data/mean": 2.0,
            "weights/w/data/std": np.sqrt(3.5),
            "weights/w/data/min": 0.0,
            "weights/w/data/max": 5.0,
            "weights/w/data/zeros": 1.0,
        }
        | {
            f"weights/w/data/percentile/{place}": np.percentile([0, 1, 2, 5], sigma)
            for place, sigma in enumerate((0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87))
        }
    )


def test_only_at_the_trigger(make_trainer, weights):
    trainer = make_trainer((3, "iteration"))
    trainer.extend(extensions.ParameterStatistics(weights, {"sum": np.sum}, trigger=(2, "iteration")))
    trainer.run()
    assert not any(key.startswith("weights") for key in trainer.observation)


def test_own_statistics_and_prefix(make_trainer, weights):
    statistics = extensions.ParameterStatistics([weights], None, prefix="my", trigger=(1, "iteration"))
    statistics.register_statistics("ends", lambda x: x[[0, -1]])
    trainer = make_trainer((1, "iteration"), extensions=[statistics])
    trainer.run()
    found = {key: value for key, value in trainer.observation.items() if key.startswith("my")}
    assert found == {
        "my/weights/w/data/ends/0": 0.0,
        "my/weights/w/data/ends/1": 5.0,
        "my/weights/w/grad/ends/0": 1.0,
        "my/weights/w/grad/ends/1": 0.0,
    }


def test_arrays_that_are_not_there_or_hold_nan(make_trainer, weights):
    with weights.init_scope():
        weights.later = Parameter()
    statistics = {"count": lambda x: x[:2] * 0 + len(x)}
    extension = extensions.ParameterStatistics(weights, statistics, trigger=(1, "iteration"), skip_nan_params=True)
    trainer = make_trainer((1, "iteration"), extensions=[extension])
    trainer.run()
    found = {key: str(value) for key, value in trainer.observation.items() if key.startswith("weights")}
    assert found == {
        "weights/later/data/count": "nan",
        "weights/later/grad/count": "nan",
        "weights/w/data/count/0": "4.0",
        "weights/w/data/count/1": "4.0",
        "weights/w/grad/count": "nan",
    }


def test_default_statistics_are_not_changed(weights):
    extensions.ParameterStatistics(weights).register_statistics("more", np.sum)
    names = ["mean", "std", "min", "max", "zeros", "percentile"]
    assert list(extensions.ParameterStatistics.default_statistics) == names


def is_png(trainer, name):
    with open(os.path.join(trainer.out, name), "rb") as file:
        return file.read(4) == b"\x89PNG"


@pytest.fixture
def matplotlib():
    module = pytest.importorskip("matplotlib")
    module.use("Agg")


@pytest.mark.usefixtures("matplotlib")
def test_plot_of_reports(make_trainer, through_file):
    seen = []
    plot = extensions.PlotReport(
        ["main/loss", "main/size", "none"],
        trigger=(2, "iteration"),
        postprocess=lambda figure, axes, summary: seen.append([line.get_label() for line in axes.get_lines()]),
    )
    trainer = make_trainer((4, "iteration"), extensions=[plot])
    trainer.run()
    assert is_png(trainer, "plot.png")
    assert seen == [["main/loss", "main/size"]] * 2
    assert plot._data["main/size"] == [[2, 2.0], [4, 1.5]]
    other = through_file(plot, extensions.PlotReport(["main/loss", "main/size", "none"]))
    assert other._data == plot._data


@pytest.mark.usefixtures("matplotlib")
def test_plot_against_the_epoch(make_trainer):
    plot = extensions.PlotReport("main/size", "epoch", filename="size.png", marker=None, grid=False)
    trainer = make_trainer(extensions=[plot])
    trainer.run()
    assert is_png(trainer, "size.png")
    assert plot._data == {"main/size": [[1, pytest.approx(5 / 3)], [2, pytest.approx(5 / 3)]]}


@pytest.mark.usefixtures("matplotlib")
def test_nothing_to_plot(make_trainer):
    trainer = make_trainer(extensions=[extensions.PlotReport(["none"])])
    trainer.run()
    assert os.listdir(trainer.out) == []


@pytest.mark.usefixtures("matplotlib")
@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"plot_std": False, "report_grad": False},
        {"plot_mean": False, "plot_std": False, "percentile_sigmas": (0, 50)},
        {"percentile_sigmas": ()},
        {"percentile_sigmas": 50, "grid": False, "max_sample_size": 2},
    ],
)
def test_plot_of_statistics(make_trainer, line, keywords):
    plot = extensions.VariableStatisticsPlot(line, filename="out.png", **keywords)
    trainer = make_trainer((1, "epoch"), model=line, extensions=[plot])
    trainer.run()
    assert is_png(trainer, "out.png")


@pytest.mark.parametrize(
    "make",
    [lambda: extensions.PlotReport("main/loss"), lambda: extensions.VariableStatisticsPlot(Variable(np.ones(2)))],
)
def test_without_matplotlib(make_trainer, monkeypatch, make):
    monkeypatch.setattr("autodiff.chainer.training.extensions.plotting.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"^matplotlib is not installed, so nothing will be plotted; to plot figures"):
        plot = make()
    trainer = make_trainer(extensions=[plot])
    trainer.run()
    assert os.listdir(trainer.out) == []


def test_nothing_to_look_at():
    with pytest.raises(
        ValueError, match=r"^VariableStatisticsPlot needs at least one Variable among its targets, got none$"
    ):
        extensions.VariableStatisticsPlot([])


@pytest.mark.parametrize(
    "keywords",
    [{"report_data": False, "report_grad": False}, {"plot_mean": False, "plot_std": False, "percentile_sigmas": ()}],
)
def test_nothing_to_plot_of_it(keywords):
    with pytest.raises(ValueError, match=r"^Nothing to plot: "):
        extensions.VariableStatisticsPlot(Variable(np.ones(2)), **keywords)


def test_reservoir_keeps_a_sample_of_bounded_size():
    np.random.seed(0)  # noqa: NPY002 - as a Chainer program does
    reservoir = Reservoir(3, (2,))
    for step in range(10):
        reservoir.add(np.full(2, step), 10 * step)
    numbers, values = reservoir.get_data()
    assert list(numbers) == sorted(numbers)
    np.testing.assert_array_equal(values, np.stack([numbers // 10] * 2, axis=1))


def test_reservoir_that_is_not_full():
    reservoir = Reservoir(3, ())
    reservoir.add(5.0)
    numbers, values = reservoir.get_data()
    assert (numbers.tolist(), values.tolist()) == ([0], [5.0])


def test_statistician():
    found = Statistician(True, True, (0, 50, 100))(np.arange(10.0).reshape(5, 2))
    assert found.keys() == {"mean", "std", "percentile"}
    np.testing.assert_array_equal(found["mean"], [4, 5])
    np.testing.assert_allclose(found["std"], [np.sqrt(8)] * 2)
    np.testing.assert_array_equal(found["percentile"], [[0, 1], [4, 5], [8, 9]])


def test_variables_in_nested_targets(line):
    variable = Variable(np.ones(1))
    found = _unpack_variables([line, {"a": variable}, (line.w, 3)])
    assert [id(each) for each in found] == [id(line.w), id(variable)]
