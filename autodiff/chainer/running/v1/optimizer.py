"""Optimizers that programs wrote for Chainer 1: methods of one parameter and its state, instead of update rules."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.update_rule import UpdateRule


class OldSteps(UpdateRule):
    """The update rule of one parameter that calls the methods of an optimizer.

    Args:
        optimizer: has ``init_state(param, state)`` and ``update_one(param, state)``.
    """

    def __init__(self, optimizer: Any) -> None:
        super().__init__()
        self.optimizer = optimizer

    def init_state(self, param: Any) -> None:
        self.optimizer.init_state(param, self._state)

    def update_core(self, param: Any) -> None:
        self.optimizer.update_one(param, self._state)


def create_update_rule(self: Any) -> OldSteps:
    """An update rule that calls :func:`update_one`."""
    return OldSteps(self)


def init_state(self: Any, param: Any, state: dict[str, Any]) -> None:
    """Put arrays that are kept between updates into ``state``: :func:`init_state_cpu` does by default."""
    self.init_state_cpu(param, state)


def init_state_cpu(self: Any, param: Any, state: dict[str, Any]) -> None:
    """By default nothing is kept."""


def update_one(self: Any, param: Any, state: dict[str, Any]) -> None:
    """Change one parameter by its gradient: :func:`update_one_cpu` does by default."""
    self.update_one_cpu(param, state)


def update_one_cpu(self: Any, param: Any, state: dict[str, Any]) -> None:
    """What an optimizer defines."""
    raise NotImplementedError(f"{type(self).__name__} must define update_one(self, param, state)")


def install() -> None:
    """Let the optimizers of this process be written as in Chainer 1."""
    for method in (create_update_rule, init_state, init_state_cpu, update_one, update_one_cpu):
        setattr(GradientMethod, method.__name__, method)
