"""Trees as vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.trace.trees.tree import flatten as leaves_of

Function = Callable[..., Any]


def flatten(value: Any) -> tuple[Any, Function]:
    """A tree of arrays and numbers as one vector, and the function that makes such a tree of a vector.

    >>> vector, unflatten = flatten({"a": 1.0, "b": np.ones(2)})
    >>> vector, unflatten(2 * vector)
    (array([1., 1., 1.]), {'a': np.float64(2.0), 'b': array([2., 2.])})
    """
    leaves, structure = leaves_of(value)
    shapes = [np.shape(leaf) for leaf in leaves]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])

    def unflatten(vector: Any) -> Any:
        parts = [vector[end - int(np.prod(shape)) : end] for end, shape in zip(ends, shapes, strict=True)]
        return structure.unflatten(
            np.reshape(part, shape) if shape else part[0] for part, shape in zip(parts, shapes, strict=True)
        )

    flat = [np.reshape(leaf, (-1,)) for leaf in leaves]
    return (np.concatenate(flat) if flat else np.array([])), unflatten


def flatten_func(func: Function, example: Any) -> tuple[Function, Function, Any]:
    """A function of trees as one of vectors, with the function back to trees, and the example as a vector."""
    vector, unflatten = flatten(example)
    return (lambda x, *args: flatten(func(unflatten(x), *args))[0]), unflatten, vector
