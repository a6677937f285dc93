"""Switches this process to Chainer 1."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

import autodiff.chainer as chainer  # the whole of it is changed here
from autodiff.chainer import flag, initializers, serializers
from autodiff.chainer import optimizer as optimizer_module
from autodiff.chainer import variable as variable_module
from autodiff.chainer.backends import cuda
from autodiff.chainer.initializers import generation
from autodiff.chainer.optimizer_hooks import gradient_noise
from autodiff.chainer.running.v1 import (
    backward,
    function_classes,
    function_set,
    functions,
    graph,
    links,
    optimizer,
    orders,
    training,
    variable,
)
from autodiff.chainer.serializers import npz
from autodiff.facade.functions import type_check
from autodiff.facade.settings import volatility


def install() -> None:
    """Let programs find Chainer 1, as far as it differs from Chainer 7."""
    volatility.switch_on()
    variable.install()
    backward.install()
    graph.install()
    functions.install()
    function_classes.install()
    links.install()
    optimizer.install()
    orders.install()
    training.install()
    variable_module.Variable = variable.Variable  # type: ignore[assignment, misc]
    # Checks of operands see expressions, which have eval(), also where all conditions hold.
    type_check.get_light_types = partial(type_check.get_types, name="in_types", accept_none=True)  # type: ignore[assignment]
    type_check.in_light_mode = lambda: False
    # Initializers.
    initializers.init_weight = init_weight  # type: ignore[attr-defined]
    initializers._get_initializer = initializer_of
    optimizer_module.exponential_decay_noise = gradient_noise.exponential_decay_noise  # type: ignore[attr-defined]
    serializers.save_npz, serializers.load_npz = save_npz, load_npz  # type: ignore[assignment]
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


def initializer_of(initializer: Any, scale: float = 1.0) -> Any:
    """What fills an array with what is given, times ``scale``."""
    return generation._get_initializer(links.multiplied(initializer, scale))


def save_npz(filename: Any, obj: Any, compression: bool = True) -> None:
    """Save an object to an ``.npz`` file."""
    npz.save_npz(filename, obj, compression)


def load_npz(filename: Any, obj: Any) -> None:
    """Load an object from an ``.npz`` file."""
    npz.load_npz(filename, obj)


def init_weight(weights: Any, initialW: Any, scale: float = 1.0) -> None:
    """Fill an array: with what the initializer gives, a number or an array, times ``scale``.

    Args:
        weights: the array.
        initialW: a function that fills an array, a number, an array, or None for random numbers as weights have.
        scale: the factor.
    """
    filled = links.multiplied(initialW, scale)
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
