"""Updates that are kept from being too large: by value, by norm, by the norm of all together."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.optimize.numbers import absolute_square, beside, global_norm
from autodiff.optimize.transformation import GradientTransformation, stateless
from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import map_tree


def clip(max_delta: float) -> GradientTransformation:
    """Each number between ``-max_delta`` and ``max_delta``.

    >>> one = clip(1.0)
    >>> one.update(np.array([0.5, -3.0]), one.init(np.zeros(2)))[0]
    array([ 0.5, -1. ])
    """
    check_limit("clip", max_delta)
    return stateless(lambda updates, params: map_tree(lambda u: np.clip(u, -max_delta, max_delta), updates))


def clip_by_norm(max_norm: float) -> GradientTransformation:
    """Each array with the Euclidean norm ``max_norm`` at most, in its direction.

    >>> one = clip_by_norm(1.0)
    >>> one.update({"a": np.array([3.0, 4.0]), "b": 0.5}, one.init({"a": np.zeros(2), "b": 0.0}))[0]
    {'a': array([0.6, 0.8]), 'b': np.float64(0.5)}
    """
    check_limit("clip_by_norm", max_norm)
    return stateless(lambda updates, params: map_tree(lambda u: shortened(u, global_norm(u), max_norm), updates))


def clip_by_global_norm(max_norm: float) -> GradientTransformation:
    """All arrays together with the Euclidean norm ``max_norm`` at most, in their direction.

    >>> one = clip_by_global_norm(1.0)
    >>> one.update({"a": 3.0, "b": 4.0}, one.init({"a": 0.0, "b": 0.0}))[0]
    {'a': np.float64(0.6000000000000001), 'b': np.float64(0.8)}
    """
    check_limit("clip_by_global_norm", max_norm)

    def clipped(updates: Any, params: Any) -> Any:
        norm = global_norm(updates)
        return map_tree(lambda u: shortened(u, norm, max_norm), updates)

    return stateless(clipped)


def clip_by_block_rms(threshold: float) -> GradientTransformation:
    """Each array with a root mean square of ``threshold`` at most, in its direction."""
    check_limit("clip_by_block_rms", threshold)

    def clipped(u: Any) -> Any:
        return u / np.maximum(1.0, beside(np.sqrt(np.mean(absolute_square(u))), u) / threshold)

    return stateless(lambda updates, params: map_tree(clipped, updates))


def check_limit(name: str, limit: Any) -> None:
    """Refuse a negative limit, which would turn updates around; one that is traced is not known.

    Raises:
        TypeError: if it is no number.
        ValueError: if it is negative.
    """
    if isinstance(limit, str) or limit is None:
        raise TypeError(f"{name}: the limit is a number, not {limit!r}{at_user_line()}")
    if isinstance(limit, int | float) and limit < 0:
        raise ValueError(f"{name}: the limit is not negative, as {limit} is{at_user_line()}")


def shortened(u: Any, norm: Any, max_norm: float) -> Any:
    """What belongs to a norm, scaled so that the norm is ``max_norm`` at most."""
    within = norm <= max_norm
    return u * beside(np.where(within, 1, max_norm / np.where(within, 1, norm))[()], u)
