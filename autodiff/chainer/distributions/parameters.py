"""Parameters and events of distributions as operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.array.broadcast import broadcast_to
from autodiff.chainer.functions.array.where import where
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.facade.variables.conversion import as_array, as_variable
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced


def parameter(value: Any) -> Any:
    """A parameter as a Variable; a value that is traced by a transformation stays as it is."""
    return value if isinstance(value, Traced) else as_variable(value)


def demand_one(kind: str, first: str, second: str, has_first: bool, has_second: bool) -> None:
    """See that exactly one of two ways to give parameters was used.

    Raises:
        ValueError: if both were, or neither.
    """
    if has_first == has_second:
        arrived = "both" if has_first else "neither"
        raise ValueError(f"{kind} needs either {first} or {second}, and {arrived} arrived{at_user_line()}")


def event(x: Any, dtype: Any = None) -> Any:
    """Events as Variables, so that a single one stays an array in arithmetic; whole numbers in the dtype, if given."""
    plain = as_array(x)
    if dtype is not None and getattr(plain, "dtype", None) is not None and plain.dtype.kind in "biu":
        x = plain.astype(dtype)
    return parameter(np.asarray(x) if isinstance(x, np.generic) else x)


def fitted(value: Any, n: int, shape: tuple[int, ...]) -> Any:
    """A parameter for each of ``n`` draws from a batch of the given shape."""
    return broadcast_to(value, (n, *shape))


def within(holds: Any, value: Any, outside: float) -> Any:
    """A value where a condition holds, and a constant elsewhere."""
    return where(as_array(holds), value, get_array_module(value).asarray(outside, dtype=value.dtype))


def times_log(p: Any, log_q: Any) -> Any:
    """p log(q), which is 0 where p and q are."""
    return p * within((as_array(p) != 0) | (as_array(log_q) != -np.inf), log_q, 0.0)


def log_beta(a: Any, b: Any) -> Any:
    """log(Gamma(a) Gamma(b) / Gamma(a + b))."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)
