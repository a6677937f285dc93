"""Parameters of distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.array.broadcast import broadcast_to
from autodiff.chainer.functions.array.where import where
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.facade.conversion import as_array, as_variable
from autodiff.facade.variable import Variable
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced


def parameter(value: Any) -> Any:
    """A parameter as a Variable; a value that is traced by a transformation stays as it is."""
    return value if isinstance(value, Traced) else as_variable(value)


def one_of(kind: str, first: str, second: str, given: tuple[bool, bool]) -> None:
    """See that exactly one of two ways to give parameters was used.

    Raises:
        ValueError: if both were, or none.
    """
    if given[0] == given[1]:
        which = "both" if given[0] else "neither"
        raise ValueError(f"{kind} needs either {first} or {second}, and {which} arrived{at_user_line()}")


def drawn(noise: Any, dtype: Any) -> Any:
    """Random numbers in the dtype of the parameters."""
    return noise.astype(dtype, copy=False)


def stretched(value: Any, n: int, shape: tuple[int, ...]) -> Any:
    """A parameter for each of ``n`` draws from a batch of the given shape."""
    return broadcast_to(value, (n, *shape))


def within(condition: Any, value: Any, outside: float) -> Any:
    """A value where the condition holds, and a constant elsewhere."""
    holds = np.broadcast_to(as_array(condition), value.shape) if np.ndim(as_array(condition)) < value.ndim else condition
    xp_full = np.full_like(as_array(value), outside, shape=())
    return where(as_array(holds), value, xp_full)


def log_beta(a: Any, b: Any) -> Any:
    """log(Gamma(a) Gamma(b) / Gamma(a + b))."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def times_log(p: Any, log_p: Any) -> Any:
    """p log(p), which is 0 at p = 0."""
    return p * within(as_array(p) != 0, log_p, 0.0)


def plain(value: Any, dtype: Any) -> Any:
    """Events as an array in the dtype of the parameters."""
    array = as_array(value)
    return array.astype(dtype, copy=False) if isinstance(value, Variable) or hasattr(array, "astype") else array
