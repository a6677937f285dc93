"""The training loop of Chainer 1: models are called on Variables, and triggers were keywords of snapshots."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from autodiff.chainer import training
from autodiff.chainer.flag import OFF, ON, Flag
from autodiff.chainer.running.v1.arguments import warn_old
from autodiff.chainer.running.v1.variable import Variable
from autodiff.chainer.training import conversion, extension, extensions
from autodiff.chainer.training.extensions import evaluator
from autodiff.chainer.training.trainer import Trainer
from autodiff.chainer.training.updaters import parallel_updater, standard_updater

Function = Callable[..., Any]


def give_variables(module: ModuleType, volatile: Flag) -> None:
    """Let a module of the training loop call models on Variables: they are called on arrays since Chainer 2."""
    assert module.called is conversion.called
    wrap = functools.partial(Variable, volatile=volatile)

    def called(function: Function, arrays: Any, *before: Any) -> Any:
        if isinstance(arrays, tuple):
            return function(*before, *map(wrap, arrays))
        if isinstance(arrays, dict):
            return function(*before, **{name: wrap(array) for name, array in arrays.items()})
        return function(*before, wrap(arrays))

    module.called = called  # type: ignore[attr-defined]


def with_old_extend(extend: Function) -> Function:
    """``Trainer.extend`` with ``invoke_before_training=``, which an extension may also have as an attribute."""

    @functools.wraps(extend)
    def call(self: Any, extension: Any, *args: Any, **kwargs: Any) -> None:
        before = kwargs.pop("invoke_before_training", None)
        if before is None:
            before = getattr(extension, "invoke_before_training", False)
        else:
            warn_old("Trainer.extend(invoke_before_training=...)", "call_before_training=", 3)
        extend(self, extension, *args, **{"call_before_training": bool(before), **kwargs})

    return call


def with_old_decorator(make_extension: Function) -> Function:
    """``make_extension`` with ``invoke_before_training=``."""

    @functools.wraps(make_extension)
    def call(
        trigger: Any = None,
        default_name: str | None = None,
        priority: int | None = None,
        invoke_before_training: bool = False,
        finalizer: Function | None = None,
        **kwargs: Any,
    ) -> Function:
        decorate = make_extension(trigger, default_name, priority, finalizer, **kwargs)

        def decorated(function: Any) -> Any:
            made = decorate(function)
            made.invoke_before_training = invoke_before_training
            return made

        return decorated

    return call


def with_trigger(function: Function) -> Function:
    """A function that makes an extension, with ``trigger=``."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        trigger = kwargs.pop("trigger", None)
        made = function(*args, **kwargs)
        if trigger is not None:
            warn_old(f"{function.__name__}(trigger=...)", "trainer.extend(..., trigger=...)", 3)
            made.trigger = trigger
        return made

    return call


def install() -> None:
    """Give the training loop of this process the behaviour of Chainer 1."""
    give_variables(standard_updater, OFF)
    give_variables(parallel_updater, OFF)
    give_variables(evaluator, ON)
    Trainer.extend = with_old_extend(Trainer.extend)  # type: ignore[method-assign]
    training.make_extension = extension.make_extension = with_old_decorator(extension.make_extension)
    for name in ("snapshot", "snapshot_object"):
        setattr(extensions, name, with_trigger(getattr(extensions, name)))
