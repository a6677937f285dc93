"""Plots of the reported values."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff.chainer.reporter import DictSummary
from autodiff.chainer.serializer import Serializer, stored_json
from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions.log_report import as_text
from autodiff.chainer.training.extensions.plotting import matplotlib_is_there
from autodiff.chainer.training.triggers.argument import get_trigger


class PlotReport(Extension):
    """Plots the means of reported values against the iteration or the epoch, in a file in the trainer's folder.

    Without matplotlib it does nothing but warn.

    Args:
        y_keys: the name of a value, or several.
        x_key: ``iteration`` or ``epoch``.
        trigger: when to add a point and write the file. The extension itself must be called in each iteration.
        postprocess: called with the figure, its axes and the summary before the file is written.
        filename: the file's name; ``plot.png`` by default.
        marker: matplotlib's marker of the points.
        grid: whether to draw a grid.
        file_name: an old spelling of ``filename``.
    """

    def __init__(
        self,
        y_keys: str | Iterable[str],
        x_key: str = "iteration",
        trigger: Any = (1, "epoch"),
        postprocess: Callable[[Any, Any, DictSummary], Any] | None = None,
        filename: str | None = None,
        marker: Any = "x",
        grid: bool = True,
        *,
        file_name: str = "plot.png",
    ) -> None:
        self._available = self.available()
        self._x_key = x_key
        self._y_keys = (y_keys,) if isinstance(y_keys, str) else tuple(y_keys)
        self._trigger = get_trigger(trigger)
        self._file_name = filename or file_name
        self._marker = marker
        self._grid = grid
        self._postprocess = postprocess
        self._init_summary()
        self._data: dict[str, list[list[float]]] = {key: [] for key in self._y_keys}

    def _init_summary(self) -> None:
        """Forget what was reported; programs' own reports call it too."""
        self._summary = DictSummary()

    @staticmethod
    def available() -> bool:
        """Whether matplotlib is installed; warns if it is not."""
        return matplotlib_is_there()

    def __call__(self, trainer: Any) -> None:
        observation = trainer.observation
        self._summary.add({key: observation[key] for key in self._y_keys if key in observation})
        if not (trainer.is_before_training or self._trigger(trainer)):
            return
        x = getattr(trainer.updater, self._x_key)
        for key, mean in self._summary.compute_mean().items():
            self._data[key].append([x, float(mean)])
        if self._available and any(self._data.values()):
            self._plot(os.path.join(trainer.out, self._file_name))
        self._init_summary()

    def _plot(self, path: str) -> None:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package; a Figure of its own needs no display

        figure = Figure()
        axes = figure.add_subplot(111)
        axes.set_xlabel(self._x_key)
        if self._grid:
            axes.grid()
        for key, points in self._data.items():
            if points:
                axes.plot(*np.array(points).T, marker=self._marker, label=key)
        if self._postprocess is not None:
            self._postprocess(figure, axes, self._summary)
        legend = axes.legend(bbox_to_anchor=(1.05, 1), loc=2, borderaxespad=0.0)
        figure.savefig(path, bbox_extra_artists=(legend,), bbox_inches="tight")

    def serialize(self, serializer: Any) -> None:
        """Save or restore the points."""
        key = f"_plot_{self._file_name}"
        if isinstance(serializer, Serializer):
            serializer(key, json.dumps(self._data))
        else:
            self._data = stored_json(key, as_text(serializer(key, "")), dict)
