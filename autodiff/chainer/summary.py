"""Means and standard deviations of what was observed."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module, get_device_from_array
from autodiff.chainer.serializer import Serializer, stored_json
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


class Summary:
    """The weighted mean and standard deviation of numbers that come one by one.

    >>> summary = Summary()
    >>> for value in (1.0, 2.0, 6.0):
    ...     summary.add(value)
    >>> summary.compute_mean()
    3.0
    >>> mean, deviation = summary.make_statistics()
    >>> print(mean, deviation.round(2))
    3.0 2.16
    """

    def __init__(self) -> None:
        self._x: Any = 0.0
        self._x2: Any = 0.0
        self._n: Any = 0

    def add(self, value: Any, weight: Any = 1) -> None:
        """Take one more value.

        Args:
            value: a number or an array.
            weight: how much it counts.
        """
        with get_device_from_array(value).create_context():
            value = widened(value)
            self._x = self._x + weight * value
            self._x2 = self._x2 + weight * value * value
            self._n = self._n + weight

    def compute_mean(self) -> Any:
        """The mean.

        Raises:
            ZeroDivisionError: if nothing was added.
        """
        with get_device_from_array(self._x).create_context():
            return self._x / self._n

    def make_statistics(self) -> tuple[Any, Any]:
        """The mean and the standard deviation (of the values themselves, not an estimate of their source's).

        Raises:
            ZeroDivisionError: if nothing was added.
        """
        mean = self.compute_mean()
        xp = get_array_module(mean)
        with get_device_from_array(mean).create_context():
            return mean, xp.sqrt(xp.maximum(self._x2 / self._n - mean * mean, 0))

    def serialize(self, serializer: Any) -> None:
        """Save or load; where nothing is stored there is a warning and the summary stays as it is."""
        try:
            self._x = serializer("_x", self._x)
            self._x2 = serializer("_x2", self._x2)
            self._n = serializer("_n", self._n)
        except KeyError:
            warnings.warn("no statistics are stored for the summary; it stays as it is", stacklevel=2)


def widened(value: Any) -> Any:
    """A single floating point number of NumPy in double precision, so that sums of many stay accurate."""
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0 and value.dtype.kind in "fc":
        return value.astype(np.result_type(value.dtype, np.float64))[()]
    return value


class DictSummary:
    """A :class:`Summary` for every name.

    >>> summary = DictSummary()
    >>> summary.add({"loss": 1.0})
    >>> summary.add({"loss": 3.0, "accuracy": (0.5, 10)})
    >>> summary.compute_mean()
    {'loss': 2.0, 'accuracy': 0.5}
    """

    def __init__(self) -> None:
        self._summaries: dict[str, Summary] = {}

    def add(self, d: dict[str, Any]) -> None:
        """Take one more value of every name.

        Args:
            d: numbers, arrays and Variables without axes, or pairs of one and its weight. Others are left out.

        Raises:
            TypeError: if a text is among them.
        """
        for name, value in d.items():
            value, weight = (value[0], value[1]) if isinstance(value, tuple) else (value, 1)
            value = value.array if isinstance(value, Variable) else value
            if isinstance(value, (str, bytes)) or isinstance(weight, (str, bytes)):
                raise TypeError(f"{name!r} has no mean, it is {value!r}{at_user_line()}; report numbers")
            if np.isscalar(value) or getattr(value, "ndim", -1) == 0:
                self._summaries.setdefault(name, Summary()).add(value, weight)

    def compute_mean(self) -> dict[str, Any]:
        """The means by name."""
        return {name: summary.compute_mean() for name, summary in self._summaries.items()}

    def make_statistics(self) -> dict[str, Any]:
        """The means by name, and the standard deviations under ``name.std``."""
        statistics: dict[str, Any] = {}
        for name, summary in self._summaries.items():
            statistics[name], statistics[name + ".std"] = summary.make_statistics()
        return statistics

    def serialize(self, serializer: Any) -> None:
        """Save or load; where nothing is stored there is a warning and the summary becomes empty."""
        if not isinstance(serializer, Serializer):
            self._summaries = {name: Summary() for name in stored_names(serializer)}
        else:
            serializer("_names", json.dumps(list(self._summaries)))
        for index, summary in enumerate(self._summaries.values()):
            summary.serialize(serializer["_summaries"][str(index)])


def stored_names(serializer: Any) -> list[str]:
    """The names that were saved."""
    try:
        text = serializer("_names", "")
    except KeyError:
        text = ""
    if not text:
        warnings.warn("no names of statistics are stored for the summary; it is empty now", stacklevel=3)
        return []
    return list(map(str, stored_json("_names", text, list)))
