"""Trees as vectors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.tree.naming import names


def ravel(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """All numbers of a tree as one vector, and the function that makes a tree of such a vector again.

    Both are differentiable. It is what ``scipy.optimize`` asks for, which knows nothing but vectors.

    Args:
        tree: a tree of arrays and numbers, which are all floating-point numbers, all complex, or all others.

    Returns:
        the vector, of the dtype that holds all leaves, and ``unravel(vector)``, whose leaves have their own dtypes.

    Raises:
        TypeError: if a leaf is no array or number, or the kinds of numbers differ.
        ValueError: when ``unravel`` is called, if the vector has another length.
        TypeError: then too, if a leaf cannot hold the vector's numbers: an integer would round them, a real leaf drop
            imaginary parts.

    >>> import autodiff
    >>> from scipy.optimize import minimize
    >>> def loss(p):
    ...     return np.sum((p["a"] - 1.0) ** 2) + (p["b"] + p["a"][0]) ** 2
    >>> start, unravel = ravel({"a": np.zeros(2), "b": 0.5})
    >>> found = minimize(autodiff.value_and_grad(lambda v: loss(unravel(v))), start, jac=True)
    >>> {name: np.round(value, 4).tolist() for name, value in unravel(found.x).items()}
    {'a': [1.0, 1.0], 'b': -1.0}
    """
    found, its = flatten(tree)
    called = names(tree)
    for name, leaf in zip(called, found, strict=True):
        if isinstance(leaf, (str, bytes)) or callable(leaf):
            raise TypeError(
                f"tree.ravel: {name or 'the tree'} is {described(leaf)}{at_user_line()}; ravel what is differentiated "
                "alone, tree.partition(tree)[0]"
            )
    found = [as_leaf(leaf) for leaf in found]
    specs = [spec_of(leaf) for leaf in found]
    check_one_kind(tree, specs)
    dtype = np.result_type(*[s.dtype for s in specs]) if specs else np.dtype(float)
    parts = [np.reshape(leaf, (-1,)) for leaf in found]
    vector = np.concatenate(parts, dtype=dtype) if parts else np.zeros(0)
    ends = list(accumulate(s.size for s in specs))

    def unravel(vector: Any) -> Any:
        shape, size = np.shape(vector), ends[-1] if ends else 0
        if shape != (size,):
            raise ValueError(f"unravel takes a vector of {size} numbers, got shape {shape}{at_user_line()}")
        starts = [0, *ends[:-1]]
        pieces = zip(called, starts, ends, specs, strict=True) if ends else ()
        return its.unflatten(piece(vector, *place) for place in pieces)

    return vector, unravel


def piece(vector: Any, name: str, start: int, end: int, own: Spec) -> Any:
    """The leaf of this name out of a vector."""
    part = vector[start] if own.shape == () else np.reshape(vector[start:end], own.shape)
    dtype = spec_of(part).dtype
    if dtype != own.dtype:
        check_held(name, own, dtype)
        part = part.astype(own.dtype)
    if own.kind == "python" and isinstance(part, np.generic):
        return part.item()
    if own.kind == "array" and not own.shape and not isinstance(part, Tracer):
        return np.asarray(part)
    return part if own.shape == () or not isinstance(part, np.ndarray) else part.copy()


def check_one_kind(tree: Any, specs: list[Spec]) -> None:
    """Refuse numbers that would become others: integers among floating-point ones, real among complex ones.

    Raises:
        TypeError: naming two leaves.
    """
    kinds = [s.dtype.kind if s.inexact else "i" for s in specs]
    other = next((k for k, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        found = names(tree)
        raise TypeError(
            f"tree.ravel: {found[0]} is {specs[0]!r} and {found[other]} is {specs[other]!r}{at_user_line()}; ravel "
            "what is differentiated alone, tree.partition(tree)[0]"
        )


def check_held(name: str, own: Spec, dtype: np.dtype[Any]) -> None:
    """Refuse a vector whose numbers a leaf would round: what is found, and its derivative, would be lost silently.

    Raises:
        TypeError: naming the leaf.
    """
    if not np.can_cast(dtype, own.dtype, "same_kind"):
        kind, written = (
            ("complex", "3.0 + 0j in place of 3.0") if dtype.kind == "c" else ("floating-point", "3.0 in place of 3")
        )
        raise TypeError(
            f"unravel: the vector is {dtype}, but {name or 'the tree'} was {own.dtype} when the tree was raveled"
            f"{at_user_line()}; ravel a tree of {kind} numbers, {written}"
        )
