"""Updates in proportion to the parameters that they change: LAMB."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.optimize.adam import scale_by_adam
from autodiff.optimize.decay import add_decayed_weights
from autodiff.optimize.numbers import absolute_square
from autodiff.optimize.scaling import LearningRate, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain, require_params, stateless
from autodiff.trace.trees.tree import map_tree


def scale_by_trust_ratio(
    min_norm: float = 0.0, trust_coefficient: float = 1.0, eps: float = 0.0
) -> GradientTransformation:
    """``trust_coefficient * |p| / (|u| + eps) * u`` for each array of parameters; u where one of the norms is 0.

    Args:
        min_norm: the least that a norm counts.
        trust_coefficient: a factor.
        eps: a small number against division by zero.

    Raises:
        ValueError: when it updates, if there are no parameters.
    """

    def norm(x: Any) -> Any:
        return np.maximum(np.sqrt(np.sum(absolute_square(x))), min_norm)

    def scaled(u: Any, p: Any) -> Any:
        of_p, of_u = norm(p), norm(u)
        none = (of_p == 0) | (of_u == 0)
        ratio = trust_coefficient * of_p / np.where(none, 1, of_u + eps)
        return u * np.where(none, 1, ratio)

    def of_all(updates: Any, params: Any) -> Any:
        require_params("scale_by_trust_ratio", params)
        return map_tree(scaled, updates, params)

    return stateless(of_all)


def lamb(
    learning_rate: LearningRate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-6,
    eps_root: float = 0.0,
    weight_decay: float = 0.0,
    mask: Any = None,
) -> GradientTransformation:
    """LAMB: Adam's direction for each array of parameters, times the ratio of the norms of parameters and direction.

    Args:
        learning_rate: a number or schedule.
        b1: how much of the mean of gradients is kept.
        b2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eps_root: the same under the root.
        weight_decay: the factor of the parameters that is added to the direction.
        mask: which parameters decay; all if None.

    Y. You et al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes, 2020.
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root),
        add_decayed_weights(weight_decay, mask),
        scale_by_trust_ratio(),
        scale_by_learning_rate(learning_rate),
    )
