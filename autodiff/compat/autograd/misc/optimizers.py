"""Optimizers of functions of trees, by ``grad(x, i)`` of the iteration i."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.compat.autograd.misc.flatten import flatten

Function = Callable[..., Any]


def unflatten_optimizer(optimize: Function) -> Function:
    """An optimizer of vectors as one of trees."""

    @functools.wraps(optimize)
    def of_trees(grad: Function, x0: Any, callback: Function | None = None, *args: Any, **kwargs: Any) -> Any:
        vector, unflatten = flatten(x0)

        def slope(x: Any, i: int) -> Any:
            return flatten(grad(unflatten(x), i))[0]

        def told(x: Any, i: int, g: Any) -> None:
            if callback:
                callback(unflatten(x), i, unflatten(g))

        return unflatten(optimize(slope, vector, told, *args, **kwargs))

    return of_trees


def nothing(x: Any, i: int, g: Any) -> None:
    """The callback of somebody who wants to know nothing."""


@unflatten_optimizer
def sgd(grad: Function, x: Any, callback: Function = nothing, num_iters: int = 200, step_size: float = 0.1,
        mass: float = 0.9) -> Any:  # fmt: skip
    """Gradient descent with momentum."""
    velocity = np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        callback(x, i, g)
        velocity = mass * velocity - (1.0 - mass) * g
        x = x + step_size * velocity
    return x


@unflatten_optimizer
def rmsprop(grad: Function, x: Any, callback: Function = nothing, num_iters: int = 100, step_size: float = 0.1,
            gamma: float = 0.9, eps: float = 1e-8) -> Any:  # fmt: skip
    """Steps divided by the root of a running mean of squares."""
    mean_square = np.ones(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        callback(x, i, g)
        mean_square = mean_square * gamma + g**2 * (1 - gamma)
        x = x - step_size * g / (np.sqrt(mean_square) + eps)
    return x


@unflatten_optimizer
def adam(grad: Function, x: Any, callback: Function = nothing, num_iters: int = 100, step_size: float = 0.001,
         b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Any:  # fmt: skip
    """Adam (Kingma and Ba, arXiv 1412.6980)."""
    m, v = np.zeros(len(x)), np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        callback(x, i, g)
        m, v = (1 - b1) * g + b1 * m, (1 - b2) * g**2 + b2 * v
        x = x - step_size * (m / (1 - b1 ** (i + 1))) / (np.sqrt(v / (1 - b2 ** (i + 1))) + eps)
    return x
