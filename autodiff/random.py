"""Random numbers whose state is an argument and a result, so that programs of ``jit`` draw new ones in every call.

A state is an array of two uint64 numbers: the seed, and how far it has come. Each function here returns what it
drew and the next state; whoever draws from one state twice has the same numbers twice. Element ``k`` depends on the
state and ``k`` alone, not on the device: numbers are those of Philox 4x32-10 on CPUs and GPUs.

>>> import numpy as np
>>> import autodiff
>>> @autodiff.jit
... def noisy(x, state):
...     noise, state = autodiff.random.normal(state, x.shape)
...     return x + noise, state
>>> start = autodiff.random.state(0)
>>> first, after = noisy(np.zeros(3), start)
>>> second, _ = noisy(np.zeros(3), after)
>>> again, _ = noisy(np.zeros(3), start)
>>> bool(np.all(first == again)), bool(np.any(first == second))
(True, False)

Under ``vmap`` all examples draw the same numbers of a state that they share; for numbers of their own give each a
state, or a seed: ``vmap(lambda seed: random.normal(random.state(seed)))(np.arange(n))``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast
from autodiff.ops.random import DTYPES, random_numbers
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import check_places, module_of

__all__ = ["bernoulli", "bits", "dropout", "normal", "state", "uniform"]


def state(seed: int, like: Any = None) -> Any:
    """A state from which numbers are drawn.

    Args:
        seed: an int from 0 to 2**64 - 1, or a traced one, as under ``vmap`` over seeds. Different seeds give
            independent numbers.
        like: an array beside which it shall lie: of CuPy, for numbers on its GPU.

    Returns:
        a uint64 array of the seed and 0, the number of the next counter.

    Raises:
        TypeError: if the seed is no int.
        ValueError: if it is negative or too large.

    >>> state(7)
    array([7, 0], dtype=uint64)
    >>> import autodiff
    >>> autodiff.vmap(lambda seed: uniform(state(seed), 3)[0])(np.arange(2)).shape
    (2, 3)
    """
    if isinstance(seed, Traced):
        known = spec_of(seed)
        if known.shape or known.dtype.kind not in "iu":
            raise TypeError(f"random.state: the seed must be an int, not {known}{at_user_line()}")
        return cast(seed, dtype=np.dtype(np.uint64)) * np.array([1, 0], np.uint64)
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"random.state: the seed must be an int, not {kind_of(seed)}{at_user_line()}") from None
    if not 0 <= number < 2**64:
        raise ValueError(f"random.state: the seed must be from 0 to 2**64 - 1, not {number}{at_user_line()}")
    module = module_of(like)
    with nullcontext() if module is np else concrete(like).device:
        return module.asarray(np.array([number, 0], np.uint64))


def uniform(state: Any, shape: int | Sequence[int] = (), dtype: Any = np.float64) -> tuple[Any, Any]:
    """Numbers from [0, 1), equally spaced: whole multiples of 2**-53, or of 2**-24 in float32.

    Args:
        state: what :func:`state` or an earlier draw returned.
        shape: of the numbers.
        dtype: float64 or float32.

    Returns:
        the numbers, and the next state.

    Raises:
        TypeError: if the state is none, or the dtype another one.
        ValueError: if a length is negative.

    >>> numbers, after = uniform(state(0), 1000)
    >>> bool(numbers.min() >= 0), bool(numbers.max() < 1), after.tolist()
    (True, True, [0, 500])
    """
    return drawn("uniform", state, shape, dtype)


def normal(state: Any, shape: int | Sequence[int] = (), dtype: Any = np.float64) -> tuple[Any, Any]:
    """Normally distributed numbers with mean 0 and variance 1.

    Pairs of them are ``sqrt(-2 log(u)) (cos(2 pi v), sin(2 pi v))`` of uniform ``u`` and ``v``. Their last bits
    are those of the device's functions.

    Args:
        state: what :func:`state` or an earlier draw returned.
        shape: of the numbers.
        dtype: float64 or float32.

    Returns:
        the numbers, and the next state.

    Raises:
        TypeError: if the state is none, or the dtype another one.
        ValueError: if a length is negative.

    >>> numbers, after = normal(state(0), (500, 2))
    >>> bool(abs(numbers.mean()) < 0.1), bool(abs(numbers.std() - 1) < 0.1)
    (True, True)
    """
    return drawn("normal", state, shape, dtype)


def bernoulli(state: Any, chance: float, shape: int | Sequence[int] = ()) -> tuple[Any, Any]:
    """Truth values, True with a given chance, which is rounded to a multiple of 2**-32.

    Args:
        state: what :func:`state` or an earlier draw returned.
        chance: a plain number from 0 to 1, part of the program under ``jit``. For one that is traced compare numbers of
            :func:`uniform` with it.
        shape: of the truth values.

    Returns:
        an array of bool, and the next state.

    Raises:
        TypeError: if the state is none, or the chance no plain number.
        ValueError: if the chance is not from 0 to 1, or a length is negative.

    >>> values, after = bernoulli(state(0), 0.25, 1000)
    >>> bool(abs(values.mean() - 0.25) < 0.05)
    True
    """
    number = plain("bernoulli", "chance", chance)
    if not 0 <= number <= 1:
        raise ValueError(f"random.bernoulli: a chance is from 0 to 1, not {number}{at_user_line()}")
    return drawn("bernoulli", state, shape, bool, number)


def bits(state: Any, shape: int | Sequence[int] = ()) -> tuple[Any, Any]:
    """Random words of 32 bits, as uint32.

    Args:
        state: what :func:`state` or an earlier draw returned.
        shape: of the words.

    Returns:
        the words, and the next state.

    Raises:
        TypeError: if the state is none.
        ValueError: if a length is negative.

    >>> bits(state(0), 4)[0]
    array([1713891541, 3781805453, 3159862348, 2600524760], dtype=uint32)
    """
    return drawn("bits", state, shape, np.uint32)


def dropout(state: Any, x: Any, ratio: float = 0.5) -> tuple[Any, Any]:
    """``x * mask / (1 - ratio)``, where each element of the mask is 0 with the chance ``ratio`` and else 1.

    The gradient flows through ``x`` alone, with the same mask. What is dropped is 0 whatever it was.

    Args:
        state: what :func:`state` or an earlier draw returned.
        x: an array.
        ratio: a plain number from 0 up to, and without, 1.

    Returns:
        an array like ``x``, and the next state.

    Raises:
        TypeError: if the state is none, it lies elsewhere than ``x``, or the ratio is no plain number.
        ValueError: if the ratio is negative, or 1 and more.

    >>> y, after = dropout(state(0), np.ones(1000), 0.2)
    >>> bool(0.75 < np.mean(y == 1.25) < 0.85), bool(np.all((y == 0) | (y == 1.25)))
    (True, True)
    """
    number = plain("dropout", "ratio", ratio)
    if not 0 <= number < 1:
        raise ValueError(f"random.dropout: a ratio is from 0 up to, and without, 1, not {number}{at_user_line()}")
    check_places("random.dropout", (state, x))
    check_state("dropout", state)
    mask, behind = drawn("bernoulli", state, np.shape(x), bool, 1 - number)
    return np.where(mask, x * (1 / (1 - number)), 0), behind


def drawn(distribution: str, state: Any, shape: Any, dtype: Any, chance: float = 0.5) -> tuple[Any, Any]:
    """What is drawn, once it is clear that it can be."""
    check_state(distribution, state)
    known = DTYPES[distribution]
    if np.dtype(dtype).name not in known:
        given = np.dtype(dtype).name
        raise TypeError(f"random.{distribution}: numbers are of {' or '.join(known)}, not {given}{at_user_line()}")
    lengths = tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    if any(length < 0 for length in lengths):
        raise ValueError(f"random.{distribution}: no length is negative, as in the shape {lengths}{at_user_line()}")
    out: tuple[Any, Any] = random_numbers(
        state, distribution=distribution, shape=lengths, dtype=np.dtype(dtype), chance=chance
    )
    return out


def check_state(name: str, state: Any) -> None:
    """Refuse what is no state."""
    if hasattr(state, "dtype") and (state.shape, state.dtype) == ((2,), np.dtype(np.uint64)):
        return
    raise TypeError(
        f"random.{name}: the state is {kind_of(state)}{at_user_line()}; it must be an array of two uint64 numbers: "
        "make it with random.state(seed), or take the second result of an earlier draw"
    )


def kind_of(value: Any) -> str:
    """What somebody gave, for error texts."""
    return repr(spec_of(value)) if hasattr(value, "dtype") else f"of type {type(value).__name__}"


def plain(name: str, what: str, value: Any) -> float:
    """A number that is known when a function is recorded."""
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    raise TypeError(
        f"random.{name}: the {what} must be a plain number, not {kind_of(value)}{at_user_line()}; under jit make it a "
        "static argument"
    )
