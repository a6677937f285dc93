"""Reported Variables that let go of their graphs."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extension import Extension
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.variable import Variable


class unchain_variables(Extension):
    """Cuts the graphs behind the reported Variables at the end of an iteration, so that their memory is freed.

    It does so where ``config.keep_graph_on_report`` is True, and after it was.
    """

    priority = 0

    def __init__(self) -> None:
        self._prev_flag: bool | None = None

    def initialize(self, _: Any) -> None:
        """Note whether graphs are kept."""
        self._prev_flag = config.keep_graph_on_report

    def trigger(self, _: Any) -> bool:
        """Whether the reported Variables may have graphs."""
        before, self._prev_flag = self._prev_flag, config.keep_graph_on_report
        return bool(before or self._prev_flag)

    def __call__(self, trainer: Any) -> None:
        for value in trainer.observation.values():
            if isinstance(value, Variable):
                value.unchain_backward()
