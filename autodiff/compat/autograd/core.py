"""Derivatives of functions of one argument, a tree: pullbacks and tangents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff.compat.autograd.boxes import Box, getval, isbox
from autodiff.compat.autograd.rules import (
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    primitive,
)
from autodiff.compat.autograd.vspace import VSpace, vspace
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.tree.mapping import map as map_tree

Function = Callable[..., Any]


def as_floats(x: Any) -> Any:
    """A tree in which arrays of integers are arrays of float64: derivatives by them are such arrays."""

    def floats(leaf: Any) -> Any:
        whole = isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in "iu"
        return leaf.astype(float) if whole else leaf

    return map_tree(floats, x)


def make_vjp(fun: Function, x: Any) -> tuple[Function, Any]:
    """The pullback of a function at a point, and its value there."""
    ans, pull = autodiff.vjp(fun, as_floats(x))

    def vjp(g: Any) -> Any:
        return pull(map_tree(shaped, g, ans))[0]

    return vjp, ans


def shaped(g: Any, ans: Any) -> Any:
    """A cotangent in the shape of what it belongs to, where it has as many elements."""
    own = spec_of(ans)
    g = g if isinstance(g, Traced) else np.asarray(g)
    return g.reshape(own.shape) if g.shape != own.shape and g.size == own.size else g


def make_jvp(fun: Function, x: Any) -> Function:
    """The function from tangents of ``x`` to pairs of the value and its tangent."""
    at = as_floats(x)

    def jvp(g: Any) -> tuple[Any, Any]:
        return autodiff.jvp(fun, (at,), (map_tree(shaped, g, at),))  # type: ignore[no-any-return]

    return jvp


__all__ = [
    "Box",
    "VSpace",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "getval",
    "isbox",
    "make_jvp",
    "make_vjp",
    "primitive",
    "vspace",
]
