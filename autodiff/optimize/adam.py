"""Adam and its kin: running means of gradients, divided by the roots of running means of their squares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.decay import add_decayed_weights
from autodiff.optimize.numbers import (
    ZERO,
    like_state,
    mean_of_squares,
    mean_toward,
    real_zeros_tree,
    without_bias,
    zeros_tree,
)
from autodiff.optimize.scaling import LearningRate, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain
from autodiff.trace.trees.tree import map_tree


class ScaleByAdamState(NamedTuple):
    """How many updates there were, and the running means of gradients (mu) and of their squares (nu)."""

    count: Any
    mu: Any
    nu: Any


class ScaleByAmsgradState(NamedTuple):
    """The same, and the greatest means of squares so far."""

    count: Any
    mu: Any
    nu: Any
    nu_max: Any


def scale_by_adam(
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Adam's direction: ``m / (sqrt(v + eps_root) + eps)``, of the means m of u and v of ``|u|**2`` without their bias.

    Args:
        b1: decay rate of the mean ``m`` of gradients.
        b2: decay rate of the mean ``v`` of squared gradients.
        eps: a small number that prevents division by zero.
        eps_root: a small number inside the root; use it if the update itself is differentiated.
        mu_dtype: the dtype of ``m``; by default that of the parameters.
        nesterov: whether to look one step ahead (NAdam).
    """

    def init(params: Any) -> ScaleByAdamState:
        return ScaleByAdamState(ZERO, zeros_tree(params, mu_dtype), real_zeros_tree(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByAdamState]:
        mu, nu, count = mean_toward(updates, state.mu, b1), mean_of_squares(updates, state.nu, b2), state.count + 1
        direction = ahead(mu, updates, b1, count) if nesterov else without_bias(mu, b1, count)
        found = map_tree(lambda m, v: m / (np.sqrt(v + eps_root) + eps), direction, without_bias(nu, b2, count))
        return found, ScaleByAdamState(count, map_tree(like_state, mu, state.mu), map_tree(like_state, nu, state.nu))

    return GradientTransformation(init, update)


def ahead(mu: Any, updates: Any, decay: float, count: Any) -> Any:
    """The mean of gradients one step ahead, as if the present gradient came once more (Dozat)."""
    means, own = without_bias(mu, decay, count + 1), without_bias(updates, decay, count)
    return map_tree(lambda m, u: decay * m + (1 - decay) * u, means, own)


def scale_by_amsgrad(
    b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, eps_root: float = 0.0, mu_dtype: Any = None
) -> GradientTransformation:
    """The same, divided by the greatest mean of squares so far, so that rates never grow.

    Args are those of :func:`scale_by_adam`.
    """

    def init(params: Any) -> ScaleByAmsgradState:
        return ScaleByAmsgradState(ZERO, zeros_tree(params, mu_dtype), real_zeros_tree(params), real_zeros_tree(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByAmsgradState]:
        mu, nu, count = mean_toward(updates, state.mu, b1), mean_of_squares(updates, state.nu, b2), state.count + 1
        greatest = map_tree(np.maximum, state.nu_max, without_bias(nu, b2, count))
        direction = without_bias(mu, b1, count)
        found = map_tree(lambda m, v: m / (np.sqrt(v + eps_root) + eps), direction, greatest)
        mu, nu = map_tree(like_state, mu, state.mu), map_tree(like_state, nu, state.nu)
        return found, ScaleByAmsgradState(count, mu, nu, map_tree(like_state, greatest, state.nu_max))

    return GradientTransformation(init, update)


def adam(
    learning_rate: LearningRate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Adam: ``p -= learning_rate * m / (sqrt(v) + eps)``.

    Args:
        learning_rate: a number or schedule.
        b1: how much of the mean of gradients is kept.
        b2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eps_root: the same under the root, where the update itself is to be differentiated.
        mu_dtype: the dtype of the means of gradients; that of the parameters if None.
        nesterov: whether to look one step ahead (NAdam).

    D. Kingma, J. Ba, Adam: A Method for Stochastic Optimization, 2014.

    >>> import autodiff
    >>> from autodiff import optimize
    >>> optimizer = adam(0.1)
    >>> @autodiff.jit
    ... def step(x, state):
    ...     gradient = autodiff.grad(lambda x: np.sum((x - 3) ** 2))(x)
    ...     updates, state = optimizer.update(gradient, state, x)
    ...     return optimize.apply_updates(x, updates), state
    >>> x = np.zeros(2)
    >>> state = optimizer.init(x)
    >>> for _ in range(300):
    ...     x, state = step(x, state)
    >>> x.round(3)
    array([3., 3.])
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov), scale_by_learning_rate(learning_rate)
    )


def adamw(
    learning_rate: LearningRate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: Any = None,
    weight_decay: float = 1e-4,
    mask: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Adam with decoupled weight decay: ``p -= learning_rate * (m / (sqrt(v) + eps) + weight_decay * p)``.

    Args:
        learning_rate: a number or schedule.
        b1: how much of the mean of gradients is kept.
        b2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eps_root: the same under the root, where the update itself is to be differentiated.
        mu_dtype: the dtype of the means of gradients; that of the parameters if None.
        weight_decay: the factor of the parameters.
        mask: which parameters decay: a tree of booleans, such as ``tree.mask(params, "*/W")``, or a function that makes
            one of the parameters; all if None.
        nesterov: whether to look one step ahead (NAdam).

    I. Loshchilov, F. Hutter, Decoupled Weight Decay Regularization, 2019.
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def amsgrad(
    learning_rate: LearningRate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: Any = None,
) -> GradientTransformation:
    """Adam that divides by the greatest mean of squares so far. Args are those of :func:`adam`.

    S. Reddi, S. Kale, S. Kumar, On the Convergence of Adam and Beyond, 2018.
    """
    return chain(scale_by_amsgrad(b1, b2, eps, eps_root, mu_dtype), scale_by_learning_rate(learning_rate))
