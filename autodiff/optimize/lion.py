"""Lion: signs of a mix of the gradient and its running mean."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.decay import add_decayed_weights
from autodiff.optimize.numbers import ZERO, like_state, mean_toward, zeros_tree
from autodiff.optimize.scaling import LearningRate, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain
from autodiff.trace.trees.tree import map_tree


class ScaleByLionState(NamedTuple):
    """How many updates there were, and the running means of gradients."""

    count: Any
    mu: Any


def scale_by_lion(b1: float = 0.9, b2: float = 0.99, mu_dtype: Any = None) -> GradientTransformation:
    """``sign((1 - b1) * u + b1 * m)``, where the mean m keeps b2 of itself.

    Args:
        b1: how much of the mean goes into the sign.
        b2: how much of the mean is kept.
        mu_dtype: the dtype of the means; that of the parameters if None.
    """

    def init(params: Any) -> ScaleByLionState:
        return ScaleByLionState(ZERO, zeros_tree(params, mu_dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByLionState]:
        signs = map_tree(np.sign, mean_toward(updates, state.mu, b1))
        mu = mean_toward(updates, state.mu, b2)
        return signs, ScaleByLionState(state.count + 1, map_tree(like_state, mu, state.mu))

    return GradientTransformation(init, update)


def lion(
    learning_rate: LearningRate,
    b1: float = 0.9,
    b2: float = 0.99,
    mu_dtype: Any = None,
    weight_decay: float = 1e-3,
    mask: Any = None,
) -> GradientTransformation:
    """Lion: ``p -= learning_rate * (sign((1 - b1) * g + b1 * m) + weight_decay * p)``.

    Args:
        learning_rate: a number or schedule; about a tenth of Adam's.
        b1: how much of the mean of gradients goes into the sign.
        b2: how much of the mean is kept.
        mu_dtype: the dtype of the means; that of the parameters if None.
        weight_decay: the factor of the parameters.
        mask: which parameters decay; all if None.

    X. Chen et al., Symbolic Discovery of Optimization Algorithms, 2023.
    """
    return chain(
        scale_by_lion(b1, b2, mu_dtype),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )
