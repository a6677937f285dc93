"""Switches this process to Chainer 1."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import autodiff.chainer as chainer  # the whole of it is changed here
from autodiff.chainer import flag
from autodiff.chainer import variable as variable_module
from autodiff.chainer.backends import cuda
from autodiff.chainer.running.v1 import (
    backward,
    function_classes,
    function_set,
    functions,
    links,
    optimizer,
    orders,
    training,
    variable,
)
from autodiff.facade.settings import volatility


def install() -> None:
    """Let programs find Chainer 1, as far as it differs from Chainer 7."""
    volatility.switch_on()
    variable.install()
    backward.install()
    functions.install()
    function_classes.install()
    links.install()
    optimizer.install()
    orders.install()
    training.install()
    variable_module.Variable = variable.Variable  # type: ignore[assignment, misc]
    for name, value in NAMES.items():
        setattr(chainer, name, value)
    sys.modules[f"{chainer.__name__}.function_set"] = function_set
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
