"""Numbers and arrays of states: their dtypes, zeros, norms and running means."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten, map_tree
from autodiff.trace.values.arrays import on_gpu
from autodiff.tree import names

PYTHONS = frozenset((bool, int, float, complex))

ZERO = np.int64(0)
"""A counter before the first step."""


def as_dtype(value: Any, dtype: Any) -> Any:
    """A value in a dtype; Python numbers stay as they are, since they give way to whatever they meet."""
    if type(value) in PYTHONS or value.dtype == dtype:
        return value
    return value.astype(dtype)


def beside(number: Any, leaf: Any) -> Any:
    """A real number, such as a learning rate, in the precision of the leaf that it meets."""
    return as_dtype(number, np.zeros((), spec_of(leaf).dtype).real.dtype)


def zeros(leaf: Any, dtype: Any = None) -> Any:
    """Zeros like a leaf; a NumPy scalar where it has no axes, so that its kind never changes."""
    own = spec_of(leaf)
    dtype = np.dtype(own.dtype if dtype is None else dtype)
    return np.zeros_like(leaf, dtype=dtype) if own.shape or on_gpu(leaf) else dtype.type(0)


def zeros_tree(params: Any, dtype: Any = None) -> Any:
    """A tree of zeros like the parameters."""
    return map_tree(lambda leaf: zeros(leaf, dtype), params)


def real_zeros_tree(params: Any) -> Any:
    """The same, real also where parameters are complex: for means of squares."""
    return map_tree(lambda leaf: zeros(leaf, np.zeros((), spec_of(leaf).dtype).real.dtype), params)


def absolute_square(x: Any) -> Any:
    """``|x|**2``, real also where x is complex."""
    return x.real**2 + x.imag**2 if spec_of(x).dtype.kind == "c" else x * x


def matched(values: Any, states: Any, what: str = "what is kept of it") -> Any:
    """The values, which have the shapes of what a state keeps of the same leaves, or of the parameters.

    Raises:
        ValueError: if one of them has another shape; numbers serve every shape.
    """
    for k, (value, state) in enumerate(zip(flatten(values)[0], flatten(states)[0])):
        own, kept = spec_of(value).shape, spec_of(state).shape
        if own not in (kept, ()):
            raise ValueError(
                f"the gradient of {names(values)[k] or 'the parameter'} has shape {own}, {what} "
                f"{kept}{at_user_line()}; give the gradients of the parameters that init was called with"
            )
    return values


def mean_toward(values: Any, means: Any, decay: float) -> Any:
    """Running means: ``(1 - decay) * value + decay * mean``."""
    return map_tree(lambda value, mean: (1 - decay) * value + decay * mean, matched(values, means), means)


def mean_of_squares(values: Any, means: Any, decay: float) -> Any:
    """Running means of squares: ``(1 - decay) * |value|**2 + decay * mean``."""
    values = matched(values, means)
    return map_tree(lambda value, mean: (1 - decay) * absolute_square(value) + decay * mean, values, means)


def without_bias(means: Any, decay: float, count: Any) -> Any:
    """Running means that began at zero, divided by the weight that they have by now: ``mean / (1 - decay**count)``."""
    weight = 1 - decay**count
    return map_tree(lambda mean: mean / beside(weight, mean), means)


def square_sum(tree: Any) -> Any:
    """The sum of the squares of all numbers of a tree."""
    return sum(np.sum(absolute_square(leaf)) for leaf in flatten(tree)[0])


def global_norm(tree: Any) -> Any:
    """The Euclidean norm of all numbers of a tree together: ``sqrt(sum(|x|**2))``.

    >>> float(global_norm({"a": np.array([3.0, 0.0]), "b": 4.0}))
    5.0
    """
    return np.sqrt(square_sum(tree))


def copied(value: Any) -> Any:
    """A value that shares no memory with another one: users may write to updates, and states go on."""
    return value.copy() if np.ndim(value) else value


def like_state(value: Any, before: Any) -> Any:
    """The next value of a state in the dtype of the one before."""
    return value.astype(before.dtype) if value.dtype != before.dtype else value
