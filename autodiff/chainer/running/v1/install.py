"""Switches this process to Chainer 1."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

import autodiff.chainer as chainer  # the whole of it is changed here
from autodiff.chainer import flag
from autodiff.chainer import variable as variable_module
from autodiff.chainer.backends import cuda
from autodiff.chainer.running.v1 import backward, function_classes, function_set, functions, links, variable
from autodiff.chainer.training import conversion
from autodiff.chainer.training.extensions import evaluator
from autodiff.chainer.training.updaters import parallel_updater, standard_updater
from autodiff.facade import volatility


def install() -> None:
    """Let programs find Chainer 1, as far as it differs from Chainer 7."""
    volatility.switch_on()
    variable.install()
    backward.install()
    functions.install()
    function_classes.install()
    links.install()
    give_variables(standard_updater, flag.OFF)
    give_variables(parallel_updater, flag.OFF)
    give_variables(evaluator, flag.ON)
    variable_module.Variable = variable.Variable  # type: ignore[assignment, misc]
    for name, value in NAMES.items():
        setattr(chainer, name, value)
    cuda.init = init


def init(device: Any = None) -> None:
    """Set up GPUs. Nothing needs to be done: they are when they are used.

    Raises:
        RuntimeError: if there is none.
    """
    cuda.check_cuda_available()


def init_weight(weights: Any, initializer: Any, scale: float = 1.0) -> None:
    """Fill an array: with what the initializer gives, a number or an array, times ``scale``.

    Args:
        weights: the array.
        initializer: a function that fills an array, a number, an array, or None for random numbers as weights have.
        scale: the factor.
    """
    filled = links.scaled(initializer, scale**2)
    if callable(filled):
        filled(weights)
    else:
        weights[...] = np.asarray(filled)


def give_variables(module: ModuleType, volatile: flag.Flag) -> None:
    """Let a module of the training loop call models on Variables: they are called on arrays since Chainer 2."""
    assert module.called is conversion.called
    wrap = functools.partial(variable.Variable, volatile=volatile)

    def called(function: Callable[..., Any], arrays: Any, *before: Any) -> Any:
        if isinstance(arrays, tuple):
            return function(*before, *map(wrap, arrays))
        if isinstance(arrays, dict):
            return function(*before, **{name: wrap(array) for name, array in arrays.items()})
        return function(*before, wrap(arrays))

    module.called = called  # type: ignore[attr-defined]


NAMES = {
    "AUTO": flag.AUTO,
    "Flag": flag.Flag,
    "FunctionSet": function_set.FunctionSet,
    "OFF": flag.OFF,
    "ON": flag.ON,
    "Variable": variable.Variable,
    "flag": flag,
    "function_set": function_set,
    "init_weight": init_weight,
}
"""What programs find in ``chainer`` besides."""
