"""Muon: momentum of matrices, made orthogonal."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.adam import adamw, ahead
from autodiff.optimize.decay import add_decayed_weights, masked
from autodiff.optimize.numbers import ZERO, like_state, mean_toward, without_bias, zeros_tree
from autodiff.optimize.scaling import LearningRate, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain, stateless
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import map_tree

Coefficients = tuple[float, float, float]

QUINTIC: Coefficients = (3.4445, -4.7750, 2.0315)
"""The polynomial whose slope at zero is greatest, with singular values that end up between 0.7 and 1.2."""


class MuonState(NamedTuple):
    """How many updates there were, and the running means of gradients."""

    count: Any
    mu: Any


def orthogonalize(x: Any, coefficients: Coefficients = QUINTIC, steps: int = 5, eps: float = 1e-8) -> Any:
    """A matrix with its singular vectors, and singular values near 1.

    The Newton-Schulz iteration ``x = a x + (b y + c y @ y) x`` with ``y = x x^H``.

    Args:
        x: a matrix.
        coefficients: a, b and c.
        steps: how often the polynomial is applied.
        eps: a small number against division by zero.
    """
    a, b, c = coefficients
    wide = spec_of(x).shape[0] <= spec_of(x).shape[1]
    x = x if wide else x.T
    x = x / (np.sqrt(np.sum(np.real(x * np.conj(x)))) + eps)
    for _ in range(steps):
        y = x @ np.conj(x).T
        x = a * x + (b * y + c * (y @ y)) @ x
    return x if wide else x.T


def scale_by_muon(
    ns_coeffs: Coefficients = QUINTIC,
    ns_steps: int = 5,
    beta: float = 0.95,
    eps: float = 1e-8,
    mu_dtype: Any = None,
    *,
    nesterov: bool = True,
) -> GradientTransformation:
    """The orthogonal part of the momentum of matrices. Every parameter must be a matrix.

    Args:
        ns_coeffs: the coefficients of the polynomial of the Newton-Schulz iteration.
        ns_steps: how often it is applied.
        beta: how much of the mean of gradients is kept.
        eps: a small number against division by zero.
        mu_dtype: the dtype of the means; that of the parameters if None.
        nesterov: whether to look one step ahead.
    """

    def init(params: Any) -> MuonState:
        return MuonState(ZERO, zeros_tree(params, mu_dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, MuonState]:
        mu, count = mean_toward(updates, state.mu, beta), state.count + 1
        means = ahead(mu, updates, beta, count) if nesterov else without_bias(mu, beta, count)
        found = map_tree(lambda m: orthogonalize(m, ns_coeffs, ns_steps, eps), means)
        return found, MuonState(count, map_tree(like_state, mu, state.mu))

    return GradientTransformation(init, update)


def muon(
    learning_rate: LearningRate,
    ns_coeffs: Coefficients = QUINTIC,
    ns_steps: int = 5,
    beta: float = 0.95,
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    weight_decay_mask: Any = None,
    mu_dtype: Any = None,
    *,
    nesterov: bool = True,
    adam_b1: float = 0.9,
    adam_b2: float = 0.999,
    adam_eps_root: float = 0.0,
    adam_weight_decay: float = 0.0,
    adam_learning_rate: LearningRate | None = None,
) -> GradientTransformation:
    """Muon for matrices, AdamW for all other parameters.

    A matrix of ``n`` rows and ``m`` columns changes by ``-learning_rate * (sqrt(max(1, m / n)) * o + weight_decay *
    p)``, with the orthogonal part o of its momentum.

    Args:
        learning_rate: a number or schedule.
        ns_coeffs: the coefficients of the polynomial of the Newton-Schulz iteration.
        ns_steps: how often it is applied.
        beta: how much of the mean of gradients is kept.
        eps: a small number against division by zero.
        weight_decay: the factor of the matrices.
        weight_decay_mask: which of them decay; all if None.
        mu_dtype: the dtype of the means; that of the parameters if None.
        nesterov: whether to look one step ahead.
        adam_b1: of AdamW.
        adam_b2: of AdamW.
        adam_eps_root: of AdamW.
        adam_weight_decay: of AdamW.
        adam_learning_rate: of AdamW; the same if None.

    K. Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.
    """
    of_matrices = chain(
        scale_by_muon(ns_coeffs, ns_steps, beta, eps, mu_dtype, nesterov=nesterov),
        stateless(lambda updates, params: map_tree(widened, updates)),
        add_decayed_weights(weight_decay, weight_decay_mask),
        scale_by_learning_rate(learning_rate),
    )
    of_others = adamw(
        learning_rate if adam_learning_rate is None else adam_learning_rate,
        adam_b1, adam_b2, eps, adam_eps_root, mu_dtype, adam_weight_decay, nesterov=nesterov,
    )  # fmt: skip
    return chain(masked(of_matrices, matrices), masked(of_others, others))


def widened(u: Any) -> Any:
    """A matrix times the root of how many columns it has for each row, where these are more than one."""
    rows, columns = spec_of(u).shape
    return float(np.sqrt(max(1.0, columns / rows))) * u


def matrices(params: Any) -> Any:
    """Which parameters are matrices."""
    return map_tree(lambda p: len(spec_of(p).shape) == 2, params)


def others(params: Any) -> Any:
    """Which parameters are no matrices."""
    return map_tree(lambda p: len(spec_of(p).shape) != 2, params)
