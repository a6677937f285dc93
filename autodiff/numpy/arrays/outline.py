"""Asking NumPy about shapes with arrays that hold nothing: its answers and its error texts, at no cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff.ops.shape import reshape, transpose
from autodiff.trace.failures.operations import explained
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete


def outline(x: Any) -> np.ndarray[Any, Any]:
    """An array of the same shape, all elements of which are one and the same byte."""
    shape = spec_of(x).shape
    return np.ndarray(shape, bool, b"\0", strides=(0,) * len(shape))


def shape_by(x: Any, function: Callable[..., Any], plain: Any, *args: Any, **kwargs: Any) -> tuple[int, ...]:
    """The shape that a function of NumPy gives a plain array; its errors name the operation on ``x``."""
    try:
        return function(plain, *args, **kwargs).shape  # type: ignore[no-any-return]
    except (ValueError, TypeError, IndexError) as error:
        raise explained(error, f"np.{function.__name__}", (x,)) from None


def new_lengths(x: Any, shape: Any) -> tuple[int, ...]:
    """The lengths of the axes that ``np.reshape`` gives ``x``."""
    try:
        return lengths_of(spec_of(x).shape, shape)
    except (TypeError, ValueError):  # what cannot be looked up, or a mistake, which is explained here
        return shape_by(x, np.reshape, outline(x), shape)


@lru_cache(4096)
def lengths_of(own: tuple[int, ...], shape: Any) -> tuple[int, ...]:
    """The lengths of the axes that ``np.reshape`` gives an array of a shape."""
    array: Any = np.broadcast_to(np.empty((), bool), own).reshape(shape)
    lengths: tuple[int, ...] = array.shape
    return lengths


def reshaped(x: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``x`` in the shape that a function of NumPy gives its outline."""
    return reshape(x, shape=shape_by(x, function, outline(x), *args, **kwargs))


def permuted(x: Any, function: Callable[..., Any], *args: Any) -> Any:
    """``x`` with its axes moved as a function of NumPy moves them.

    The function is shown an array whose lengths are the numbers of its axes.
    """
    ndim = spec_of(x).ndim
    try:
        axes = order_of_axes(function, ndim, args)
    except TypeError:  # lists, which cannot be looked up, or a mistake, which is explained here
        order = shape_by(x, function, np.empty(range(ndim), bool), *args)
        axes = tuple(axis - ndim for axis in order)
    except (ValueError, IndexError) as error:
        raise explained(error, f"np.{function.__name__}", (x,)) from None
    return transpose(x, axes=axes)


@lru_cache(1024)
def order_of_axes(function: Callable[..., Any], ndim: int, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Where a function of NumPy moves the axes to, as negative numbers."""
    return tuple(axis - ndim for axis in function(np.empty(range(ndim), bool), *args).shape)


def known(x: Any) -> Any:
    """The plain array or number behind a value, or its spec where only that is known."""
    if isinstance(x, Tracer):
        return concrete(x)
    return x.array if isinstance(x, Traced) else x  # type: ignore[attr-defined]
