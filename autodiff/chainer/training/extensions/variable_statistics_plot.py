"""Plots of the distribution of Variables over the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from autodiff.chainer.link import Link
from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions.plotting import matplotlib_is_there
from autodiff.chainer.training.extensions.reservoir import Reservoir
from autodiff.chainer.training.extensions.statistician import Statistician
from autodiff.chainer.training.triggers.argument import get_trigger
from autodiff.facade.variables.variable import Variable

SIGMAS = (0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100)
"""The ends, and the shares of a normal distribution below -3, -2, ..., 3 standard deviations, in percent."""


COLOR = "C0"
"""The first colour of matplotlib's cycle."""


class VariableStatisticsPlot(Extension):
    """Plots mean, standard deviation and percentiles of Variables and their gradients against the iteration.

    Without matplotlib it does nothing but warn.

    Args:
        targets: Variables and links, also in lists and dicts; all are taken together.
        max_sample_size: how many iterations, drawn at random, are in the plot.
        report_data: whether to look at the Variables.
        report_grad: whether to look at their gradients.
        plot_mean: whether to plot the mean.
        plot_std: whether to plot the standard deviation.
        percentile_sigmas: which percentiles to plot, in percent; none if empty.
        trigger: when to write the file. The extension itself must be called in each iteration.
        filename: the file's name; ``statistics.png`` by default.
        figsize: matplotlib's size of the figure.
        marker: matplotlib's marker of the points.
        grid: whether to draw a grid.
        file_name: an old spelling of ``filename``.

    Raises:
        ValueError: if there is nothing to look at, or nothing to plot.
    """

    def __init__(
        self,
        targets: Any,
        max_sample_size: int = 1000,
        report_data: bool = True,
        report_grad: bool = True,
        plot_mean: bool = True,
        plot_std: bool = True,
        percentile_sigmas: float | tuple[float, ...] = SIGMAS,
        trigger: Any = (1, "epoch"),
        filename: str | None = None,
        figsize: Any = None,
        marker: Any = None,
        grid: bool = True,
        *,
        file_name: str = "statistics.png",
    ) -> None:
        self._vars = _unpack_variables(targets)
        if not self._vars:
            raise ValueError("VariableStatisticsPlot needs at least one Variable among its targets, got none")
        self._keys = [key for key, wanted in (("data", report_data), ("grad", report_grad)) if wanted]
        sigmas = percentile_sigmas if isinstance(percentile_sigmas, tuple) else tuple(np.atleast_1d(percentile_sigmas))
        self._available = self.available()
        self._statistician = Statistician(plot_mean, plot_std, sigmas)
        self._names = self._statistician.names()
        if not (self._keys and self._names):
            raise ValueError(
                "Nothing to plot: of the data and the gradients, or of the statistics, at least one is needed"
            )
        self._trigger = get_trigger(trigger)
        self._filename = filename or file_name
        self._figsize = figsize
        self._marker = marker
        self._grid = grid
        self._samples = Reservoir(max_sample_size, (len(self._keys), len(self._names)))

    @staticmethod
    def available() -> bool:
        """Whether matplotlib is installed; warns if it is not."""
        return matplotlib_is_there()

    def __call__(self, trainer: Any) -> None:
        if not self._available:
            return
        self._samples.add(np.array([self._statistics(key) for key in self._keys]), trainer.updater.iteration)
        if self._trigger(trainer):
            from matplotlib import pyplot  # noqa: PLC0415 - an optional package

            self.save_plot_using_module(os.path.join(trainer.out, self._filename), pyplot)

    def _statistics(self, key: str) -> list[float]:
        arrays = [np.ravel(as_numpy(array)) for each in self._vars if (array := getattr(each, key)) is not None]
        if not arrays:
            return [np.nan] * len(self._names)
        found = self._statistician(np.concatenate(arrays))
        return [float(value) for each in found.values() for value in np.ravel(each)]

    def save_plot_using_module(self, file_path: str, plt: Any) -> None:
        """Write the plot.

        Args:
            file_path: the file.
            plt: ``matplotlib.pyplot``.
        """
        iterations, samples = self._samples.get_data()
        rows = [draw for draw, names in self._drawn() if set(names) & set(self._names)]
        figure, axes = plt.subplots(len(rows), len(self._keys), figsize=self._figsize, sharex=True, squeeze=False)
        for column, key in enumerate(self._keys):
            axes[0, column].set_title(key)
            axes[-1, column].set_xlabel("iteration")
            for row, draw in enumerate(rows):
                draw(axes[row, column], iterations, samples[:, column])
        for each in axes.flat:
            each.legend()
            if self._grid:
                each.grid()
        figure.savefig(file_path)
        plt.close(figure)

    def _drawn(self) -> list[tuple[Callable[..., None], list[str]]]:
        """What draws a row of plots, and the statistics it takes."""
        return [(self._draw_moments, ["mean", "std"]), (self._draw_percentiles, ["percentile"])]

    def _draw_moments(self, axes: Any, x: Any, values: Any) -> None:
        """Draw mean and standard deviation."""
        columns = {name: values[:, place] for place, name in enumerate(self._names) if name != "percentile"}
        if len(columns) == 2:
            style = {"color": COLOR, "ecolor": (COLOR, 0.2), "label": "mean, std", "marker": self._marker}
            axes.errorbar(x, columns["mean"], columns["std"], **style)
        else:
            for name, column in columns.items():
                axes.plot(x, column, color=COLOR, label=name, marker=self._marker)

    def _draw_percentiles(self, axes: Any, x: Any, values: Any) -> None:
        """Draw bands between percentiles, from the inside."""
        columns = [values[:, place] for place, name in enumerate(self._names) if name == "percentile"]
        half = len(columns) // 2
        label = "percentile"
        if len(columns) % 2:
            axes.plot(x, columns[half], color=COLOR, label=label, marker=self._marker)
            label = "_nolegend_"
        for inner in reversed(range(half)):
            axes.fill_between(x, columns[inner], columns[-1 - inner], label=label, linewidth=0, color=(COLOR, 0.2))
            label = "_nolegend_"


def _unpack_variables(x: Any) -> tuple[Variable, ...]:
    """All Variables in a Variable, a link, or lists and dicts of them; each once."""
    found = {id(variable): variable for variable in variables_in(x)}
    return tuple(found.values())


def variables_in(x: Any) -> Iterator[Variable]:
    """All Variables in something nested."""
    if isinstance(x, Variable):
        yield x
    elif isinstance(x, Link):
        yield from x.params()
    elif isinstance(x, (list, tuple, dict)):
        parts: Iterable[Any] = x.values() if isinstance(x, dict) else x
        for part in parts:
            yield from variables_in(part)


def as_numpy(array: Any) -> Any:
    """The array on the CPU."""
    return array.get() if hasattr(array, "get") else array
