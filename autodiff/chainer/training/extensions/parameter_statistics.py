"""Statistics of the parameters and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import numpy as np

from autodiff.chainer.backend import get_device_from_array
from autodiff.chainer.reporter import DictSummary, report
from autodiff.chainer.training.extension import PRIORITY_WRITER, Extension
from autodiff.chainer.training.triggers.argument import get_trigger

Statistic = Callable[[Any], Any]
"""A function of a flat array that gives a number, or several."""

PERCENTILES = (0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87)
"""The shares of a normal distribution below -3, -2, ..., 3 standard deviations, in percent."""


class ParameterStatistics(Extension):
    """Reports statistics of all parameters of links, as ``predictor/l1/W/data/mean``.

    The reported values are means over the iterations of an interval.

    Args:
        links: a link or several.
        statistics: functions of a flat array by name; :attr:`default_statistics` by default, none if None.
        report_params: whether to look at the parameters (``data``).
        report_grads: whether to look at their gradients (``grad``).
        prefix: the first part of the names.
        trigger: when to report. The extension itself must be called in each iteration.
        skip_nan_params: whether the statistics of arrays with NaNs are NaN, without being computed.
    """

    default_name = "parameter_statistics"
    priority = PRIORITY_WRITER
    report_key_template = "{prefix}{link_name}{param_name}/{attr_name}/{function_name}"
    default_statistics: ClassVar[dict[str, Statistic]] = {
        "mean": lambda x: x.mean(),
        "std": lambda x: x.std(),
        "min": lambda x: x.min(),
        "max": lambda x: x.max(),
        "zeros": lambda x: (x == 0).sum(),
        "percentile": lambda x: np.percentile(x, PERCENTILES),
    }

    def __init__(
        self,
        links: Any,
        statistics: dict[str, Statistic] | str | None = "default",
        report_params: bool = True,
        report_grads: bool = True,
        prefix: str | None = None,
        trigger: Any = (1, "epoch"),
        skip_nan_params: bool = False,
    ) -> None:
        self._links: tuple[Any, ...] = tuple(links) if isinstance(links, (list, tuple)) else (links,)
        given = self.default_statistics if statistics == "default" else statistics
        self._statistics: dict[str, Statistic] = dict(given or {})  # type: ignore[arg-type]  # of no other text
        self._attrs = [name for name, wanted in (("data", report_params), ("grad", report_grads)) if wanted]
        self._prefix = prefix
        self._trigger = get_trigger(trigger)
        self._summary = DictSummary()
        self._skip_nan_params = skip_nan_params

    def register_statistics(self, name: str, function: Statistic) -> None:
        """Add a statistic.

        Args:
            name: the last part of the names.
            function: computes it of a flat array.
        """
        self._statistics[name] = function

    def __call__(self, trainer: Any) -> None:
        self._summary.add(dict(self._current()))
        if self._trigger(trainer):
            report(self._summary.compute_mean())
            self._summary = DictSummary()

    def _current(self) -> Iterator[tuple[str, Any]]:
        """The statistics of this iteration by name."""
        for link in self._links:
            for param_name, parameter in link.namedparams():
                for attr_name in self._attrs:
                    array = getattr(parameter, attr_name) if parameter.is_initialized else None
                    for function_name, function in self._statistics.items():
                        key = self.report_key_template.format(
                            prefix="" if self._prefix is None else f"{self._prefix}/",
                            link_name=link.name,
                            param_name=param_name,
                            attr_name=attr_name,
                            function_name=function_name,
                        )
                        yield from numbered(key, self._value(function, array))

    def _value(self, function: Statistic, array: Any) -> Any:
        with get_device_from_array(array).create_context():
            if array is None or (self._skip_nan_params and bool(np.isnan(array).any())):
                return np.nan
            return function(array.ravel())


def numbered(key: str, value: Any) -> Iterable[tuple[str, Any]]:
    """A number with its name; or several, whose names end in their places.

    >>> list(numbered("p", np.array([1.0, 2.0])))
    [('p/0', np.float64(1.0)), ('p/1', np.float64(2.0))]
    """
    if (value.ndim if hasattr(value, "ndim") else np.ndim(value)) == 0:
        return [(key, value)]
    with get_device_from_array(value).create_context():
        return [(f"{key}/{place}", each) for place, each in enumerate(value)]
