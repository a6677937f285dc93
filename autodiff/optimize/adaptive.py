"""Gradients divided by the roots of means, or sums, of their squares: RMSprop, Adagrad, Adadelta."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.decay import add_decayed_weights
from autodiff.optimize.momentum import trace
from autodiff.optimize.numbers import (
    ZERO,
    absolute_square,
    like_state,
    matched,
    mean_of_squares,
    mean_toward,
    real_zeros_tree,
    without_bias,
    zeros_tree,
)
from autodiff.optimize.scaling import LearningRate, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain, identity
from autodiff.trace.trees.tree import map_tree


class ScaleByRmsState(NamedTuple):
    """How many updates there were, and the running means of squares."""

    count: Any
    nu: Any


class ScaleByStdDevState(NamedTuple):
    """The same, and the running means of gradients."""

    count: Any
    mu: Any
    nu: Any


class ScaleByRssState(NamedTuple):
    """The sums of squares."""

    sum_of_squares: Any


class ScaleByAdaDeltaState(NamedTuple):
    """The running means of the squares of gradients and of updates."""

    e_g: Any
    e_x: Any


def root(v: Any, eps: float, inside: bool) -> Any:
    """``sqrt(v + eps)``, or ``sqrt(v) + eps``."""
    return np.sqrt(v + eps) if inside else np.sqrt(v) + eps


def scale_by_rms(
    decay: float = 0.9,
    eps: float = 1e-8,
    initial_scale: float = 0.0,
    eps_in_sqrt: bool = True,
    bias_correction: bool = False,
) -> GradientTransformation:
    """``u / sqrt(v + eps)`` of the running mean v of ``|u|**2``.

    Args:
        decay: how much of the mean is kept.
        eps: a small number against division by zero.
        initial_scale: the mean before the first update.
        eps_in_sqrt: whether eps is added under the root; PyTorch adds it to the root.
        bias_correction: whether the mean is divided by its weight, as Adam's is.
    """

    def init(params: Any) -> ScaleByRmsState:
        return ScaleByRmsState(ZERO, map_tree(lambda v: v + initial_scale, real_zeros_tree(params)))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByRmsState]:
        nu, count = mean_of_squares(updates, state.nu, decay), state.count + 1
        means = without_bias(nu, decay, count) if bias_correction else nu
        found = map_tree(lambda u, v: u / root(v, eps, eps_in_sqrt), updates, means)
        return found, ScaleByRmsState(count, map_tree(like_state, nu, state.nu))

    return GradientTransformation(init, update)


def scale_by_stddev(
    decay: float = 0.9,
    eps: float = 1e-8,
    initial_scale: float = 0.0,
    eps_in_sqrt: bool = True,
    bias_correction: bool = False,
) -> GradientTransformation:
    """``u / sqrt(v - |m|**2 + eps)`` of the running means m of u and v of ``|u|**2``.

    Args are those of :func:`scale_by_rms`.
    """

    def init(params: Any) -> ScaleByStdDevState:
        nu = map_tree(lambda v: v + initial_scale, real_zeros_tree(params))
        return ScaleByStdDevState(ZERO, zeros_tree(params), nu)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByStdDevState]:
        mu, nu, count = (
            mean_toward(updates, state.mu, decay),
            mean_of_squares(updates, state.nu, decay),
            state.count + 1,
        )
        means = without_bias(mu, decay, count) if bias_correction else mu
        squares = without_bias(nu, decay, count) if bias_correction else nu
        variances = map_tree(lambda v, m: v - absolute_square(m), squares, means)
        found = map_tree(lambda u, v: u / root(v, eps, eps_in_sqrt), updates, variances)
        mu, nu = map_tree(like_state, mu, state.mu), map_tree(like_state, nu, state.nu)
        return found, ScaleByStdDevState(count, mu, nu)

    return GradientTransformation(init, update)


def scale_by_rss(initial_accumulator_value: float = 0.1, eps: float = 1e-7) -> GradientTransformation:
    """``u / sqrt(s + eps)`` of the sum s of ``|u|**2``; 0 where that is 0.

    Args:
        initial_accumulator_value: the sum before the first update.
        eps: a small number against division by zero.
    """

    def init(params: Any) -> ScaleByRssState:
        return ScaleByRssState(map_tree(lambda s: s + initial_accumulator_value, real_zeros_tree(params)))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByRssState]:
        sums = map_tree(
            lambda u, s: absolute_square(u) + s, matched(updates, state.sum_of_squares), state.sum_of_squares
        )
        found = map_tree(lambda u, s: u * np.where(s > 0, 1 / np.sqrt(s + eps), 0), updates, sums)
        return found, ScaleByRssState(map_tree(like_state, sums, state.sum_of_squares))

    return GradientTransformation(init, update)


def scale_by_adadelta(rho: float = 0.9, eps: float = 1e-6) -> GradientTransformation:
    """``sqrt(x + eps) / sqrt(v + eps) * u`` of the running means v of ``|u|**2`` and x of the squares of updates.

    Args:
        rho: how much of the means is kept.
        eps: a small number against division by zero.
    """

    def init(params: Any) -> ScaleByAdaDeltaState:
        return ScaleByAdaDeltaState(real_zeros_tree(params), real_zeros_tree(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByAdaDeltaState]:
        e_g = mean_of_squares(updates, state.e_g, rho)
        found = map_tree(lambda u, v, x: np.sqrt(x + eps) / np.sqrt(v + eps) * u, updates, e_g, state.e_x)
        e_x = mean_of_squares(found, state.e_x, rho)
        return found, ScaleByAdaDeltaState(map_tree(like_state, e_g, state.e_g), map_tree(like_state, e_x, state.e_x))

    return GradientTransformation(init, update)


def rmsprop(
    learning_rate: LearningRate,
    decay: float = 0.9,
    eps: float = 1e-8,
    initial_scale: float = 0.0,
    eps_in_sqrt: bool = True,
    centered: bool = False,
    momentum: float | None = None,
    nesterov: bool = False,
    bias_correction: bool = False,
) -> GradientTransformation:
    """RMSprop: ``p -= learning_rate * g / sqrt(v + eps)`` of the running mean v of ``g**2``.

    Args:
        learning_rate: a number or schedule.
        decay: how much of the mean of squares is kept.
        eps: a small number against division by zero.
        initial_scale: the mean before the first update.
        eps_in_sqrt: whether eps is added under the root; PyTorch adds it to the root.
        centered: whether the square of the mean is taken off, which leaves the variance.
        momentum: how much of the last update is kept; None for none.
        nesterov: whether momentum looks one step ahead.
        bias_correction: whether the mean is divided by its weight, as Adam's is.
    """
    scaled = scale_by_stddev if centered else scale_by_rms
    return chain(
        scaled(decay, eps, initial_scale, eps_in_sqrt, bias_correction),
        scale_by_learning_rate(learning_rate),
        identity() if momentum is None else trace(momentum, nesterov),
    )


def adagrad(
    learning_rate: LearningRate, initial_accumulator_value: float = 0.1, eps: float = 1e-7
) -> GradientTransformation:
    """Adagrad: ``p -= learning_rate * g / sqrt(s + eps)`` of the sum s of ``g**2``.

    Args:
        learning_rate: a number or schedule.
        initial_accumulator_value: the sum before the first update.
        eps: a small number against division by zero.

    J. Duchi, E. Hazan, Y. Singer, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, 2011.
    """
    return chain(scale_by_rss(initial_accumulator_value, eps), scale_by_learning_rate(learning_rate))


def adadelta(
    learning_rate: LearningRate = 1.0,
    rho: float = 0.9,
    eps: float = 1e-6,
    weight_decay: float = 0.0,
    weight_decay_mask: Any = None,
) -> GradientTransformation:
    """Adadelta: updates in the units of the parameters, ``p -= learning_rate * sqrt(x + eps) / sqrt(v + eps) * g``.

    Args:
        learning_rate: a number or schedule.
        rho: how much of the means of squares, v of gradients and x of updates, is kept.
        eps: a small number against division by zero.
        weight_decay: the factor of the parameters that is added to gradients.
        weight_decay_mask: which parameters decay; all if None.

    M. Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.
    """
    return chain(
        add_decayed_weights(weight_decay, weight_decay_mask),
        scale_by_adadelta(rho, eps),
        scale_by_learning_rate(learning_rate),
    )
