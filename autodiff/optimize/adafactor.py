"""Adafactor: means of squares of a matrix by its rows and columns alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.averaging import ema
from autodiff.optimize.clipping import clip_by_block_rms
from autodiff.optimize.decay import add_decayed_weights
from autodiff.optimize.numbers import ZERO, absolute_square, beside, like_state
from autodiff.optimize.scaling import LearningRate, scale, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain, require_params, stateless
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten, map_tree


class FactoredState(NamedTuple):
    """How many updates there were, and the means of squares: by rows, by columns, or of all numbers."""

    count: Any
    v_row: Any
    v_col: Any
    v: Any


def scale_by_factored_rms(
    factored: bool = True,
    decay_rate: float = 0.8,
    step_offset: int = 0,
    min_dim_size_to_factor: int = 128,
    epsilon: float = 1e-30,
) -> GradientTransformation:
    """``u / sqrt(v)``, where the mean v of ``u**2`` is ``rows * columns / mean(rows)`` of an array with two long axes.

    Args:
        factored: whether means are kept by rows and columns.
        decay_rate: in update n the mean keeps ``1 - n**-decay_rate`` of itself.
        step_offset: how many updates there were before, where training goes on with an old state.
        min_dim_size_to_factor: the least length of the two longest axes for which means are kept by rows and columns.
        epsilon: a small number against division by zero, which is added to squares.
    """

    def axes(p: Any) -> tuple[int, int] | None:
        shape = spec_of(p).shape
        if not factored or len(shape) < 2:
            return None
        second, first = np.argsort(shape, kind="stable")[-2:].tolist()
        return (second, first) if shape[second] >= min_dim_size_to_factor else None

    def init(params: Any) -> FactoredState:
        return FactoredState(
            ZERO,
            map_tree(lambda p: empty(p) if axes(p) is None else without(p, axes(p)[1]), params),  # type: ignore[index]
            map_tree(lambda p: empty(p) if axes(p) is None else without(p, axes(p)[0]), params),  # type: ignore[index]
            map_tree(lambda p: without(p) if axes(p) is None else empty(p), params),
        )

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, FactoredState]:
        keep = 1 - (state.count - step_offset + 1.0) ** (-decay_rate)
        leaves, structure = flatten(updates)
        means = zip(leaves, *(flatten(part)[0] for part in state[1:]), strict=True)
        found = [one(u, v_row, v_col, v, beside(keep, u), axes(u)) for u, v_row, v_col, v in means]
        trees = [structure.unflatten(column) for column in zip(*found, strict=True)] if found else [updates] * 4
        return trees[0], FactoredState(state.count + 1, *trees[1:])

    def one(u: Any, v_row: Any, v_col: Any, v: Any, keep: Any, along: tuple[int, int] | None) -> tuple[Any, ...]:
        square = absolute_square(u) + epsilon
        if along is None:
            mean = keep * v + (1 - keep) * square
            return u * mean**-0.5, v_row, v_col, like_state(mean, v)
        second, first = along
        rows = like_state(keep * v_row + (1 - keep) * np.mean(square, axis=first), v_row)
        columns = like_state(keep * v_col + (1 - keep) * np.mean(square, axis=second), v_col)
        among_rows = second - 1 if second > first else second
        row_factor = (rows / np.mean(rows, axis=among_rows, keepdims=True)) ** -0.5
        scaled = u * np.expand_dims(row_factor, first) * np.expand_dims(columns**-0.5, second)
        return scaled, rows, columns, v

    return GradientTransformation(init, update)


def without(p: Any, axis: int | None = None) -> Any:
    """Real zeros like an array, or like it without one of its axes."""
    own = spec_of(p)
    shape = own.shape if axis is None else own.shape[:axis] + own.shape[axis + 1 :]
    dtype = np.zeros((), own.dtype).real.dtype
    return np.zeros_like(p, dtype=dtype, shape=shape) if shape else dtype.type(0)


def empty(p: Any) -> Any:
    """What stands for means that are not kept."""
    return np.zeros((1,), np.zeros((), spec_of(p).dtype).real.dtype)


def scale_by_param_block_rms(min_scale: float = 1e-3) -> GradientTransformation:
    """``max(sqrt(mean(|p|**2)), min_scale) * u`` for each array of parameters.

    Args:
        min_scale: the least factor.

    Raises:
        ValueError: when it updates, if there are no parameters.
    """

    def of_all(updates: Any, params: Any) -> Any:
        require_params("scale_by_param_block_rms", params)
        return map_tree(
            lambda u, p: u * beside(np.maximum(np.sqrt(np.mean(absolute_square(p))), min_scale), u), updates, params
        )

    return stateless(of_all)


def adafactor(
    learning_rate: LearningRate | None = None,
    min_dim_size_to_factor: int = 128,
    decay_rate: float = 0.8,
    decay_offset: int = 0,
    multiply_by_parameter_scale: bool = True,
    clipping_threshold: float | None = 1.0,
    momentum: float | None = None,
    dtype_momentum: Any = None,
    weight_decay_rate: float | None = None,
    eps: float = 1e-30,
    factored: bool = True,
    weight_decay_mask: Any = None,
) -> GradientTransformation:
    """Adafactor: gradients divided by roots of factored means of their squares, in the scale of the parameters.

    Args:
        learning_rate: a number or schedule; 1 if None.
        min_dim_size_to_factor: the least length of two axes for which means are kept by rows and columns.
        decay_rate: in update n the mean of squares keeps ``1 - n**-decay_rate`` of itself.
        decay_offset: how many updates there were before.
        multiply_by_parameter_scale: whether updates are multiplied by the root mean square of the parameters.
        clipping_threshold: the greatest root mean square of an update before that; None for none.
        momentum: how much of the mean of updates is kept; None for none.
        dtype_momentum: the dtype of these means; that of the parameters if None.
        weight_decay_rate: the factor of the parameters; None for none.
        eps: a small number against division by zero.
        factored: whether means are kept by rows and columns.
        weight_decay_mask: which parameters decay; all if None.

    N. Shazeer, M. Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.
    """
    parts = [scale_by_factored_rms(factored, decay_rate, decay_offset, min_dim_size_to_factor, eps)]
    if clipping_threshold is not None:
        parts.append(clip_by_block_rms(clipping_threshold))
    if learning_rate is not None:
        parts.append(scale_by_learning_rate(learning_rate, flip_sign=False))
    if multiply_by_parameter_scale:
        parts.append(scale_by_param_block_rms())
    if momentum is not None:
        parts.append(ema(momentum, debias=False, accumulator_dtype=dtype_momentum))
    if weight_decay_rate is not None:
        parts.append(add_decayed_weights(weight_decay_rate, weight_decay_mask))
    return chain(*parts, scale(-1))
