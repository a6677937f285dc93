"""Optimizers that programs wrote for Chainer 1: methods of one parameter and its state, instead of update rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autodiff.chainer.hyperparameter import HyperparameterProxy
from autodiff.chainer.optimizer import GradientMethod, Optimizer
from autodiff.chainer.serializer import Deserializer
from autodiff.chainer.update_rule import UpdateRule

Function = Callable[..., Any]

MISSING = object()


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


def hyperparameters(optimizer: Any) -> list[str]:
    """The names of those attributes that stand for hyperparameters."""
    found = (vars(kind).items() for kind in type(optimizer).__mro__)
    return [name for items in found for name, value in items if isinstance(value, HyperparameterProxy)]


def set_attribute(self: Any, optimizer: Any, value: Any) -> None:
    """Give an optimizer a hyperparameter, in both places."""
    optimizer.__dict__[self._attr_name] = value
    setattr(optimizer.hyperparam, self._attr_name, value)


def agree(optimizer: Any) -> None:
    """Let the rules have the plain attributes, which programs may have put into ``vars(optimizer)``."""
    for name in hyperparameters(optimizer):
        if name in optimizer.__dict__:
            setattr(optimizer.hyperparam, name, optimizer.__dict__[name])
        else:
            optimizer.__dict__[name] = getattr(optimizer.hyperparam, name)


def after_agreement(method: Function) -> Function:
    """A method of optimizers that begins with :func:`agree`."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        agree(self)
        return method(self, *args, **kwargs)

    return call


def get_hyperparameter(self: Any, optimizer: Any, kind: Any = None) -> Any:
    """The plain attribute."""
    if optimizer is None:
        return self
    found = optimizer.__dict__.get(self._attr_name, MISSING)
    return getattr(optimizer.hyperparam, self._attr_name) if found is MISSING else found


def states(self: Any) -> dict[str, Any]:
    """What is kept for each parameter between updates, by its path."""
    return {path: param.update_rule.state for path, param in self.target.namedparams()}


class WithCount(Deserializer):
    """Reads what is kept for a parameter: snapshots of Chainer 1 count updates for the optimizer alone.

    Args:
        serializer: reads the snapshot.
        t: how many updates there were.
    """

    def __init__(self, serializer: Any, t: int) -> None:
        self.serializer, self.t = serializer, t

    def __getitem__(self, key: str) -> Any:
        return self.serializer[key]

    def __call__(self, key: str, value: Any) -> Any:
        try:
            return self.serializer(key, value)
        except KeyError:
            if key != "t":
                raise
            return self.t


def serialize(self: Any, serializer: Any) -> None:
    """Read or write the optimizer, and what is kept for each parameter."""
    self.t, self.epoch = serializer("t", self.t), serializer("epoch", self.epoch)
    reads = isinstance(serializer, Deserializer)
    for name, param in self._set_up_target().namedparams():
        if param.update_rule is not None:
            param.update_rule.serialize(WithCount(serializer[name], self.t) if reads else serializer[name])


def install() -> None:
    """Let the optimizers of this process be written as in Chainer 1."""
    HyperparameterProxy.__get__ = get_hyperparameter  # type: ignore[method-assign]
    HyperparameterProxy.__set__ = set_attribute  # type: ignore[method-assign]
    for name in ("setup", "update"):
        setattr(GradientMethod, name, after_agreement(getattr(GradientMethod, name)))
    Optimizer.serialize = serialize  # type: ignore[method-assign]
    GradientMethod._states = property(states)  # type: ignore[attr-defined]
    for method in (create_update_rule, init_state, init_state_cpu, update_one, update_one_cpu):
        setattr(GradientMethod, method.__name__, method)
