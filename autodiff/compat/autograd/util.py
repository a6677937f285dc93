"""Tuples with some elements replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def subvals(x: Sequence[Any], ivs: Iterable[tuple[int, Any]]) -> tuple[Any, ...]:
    """The elements of ``x``, with those at some positions replaced.

    >>> subvals((1, 2, 3), [(0, 5)])
    (5, 2, 3)
    """
    found = list(x)
    for position, value in ivs:
        found[position] = value
    return tuple(found)


def subval(x: Sequence[Any], i: int, v: Any) -> tuple[Any, ...]:
    """The elements of ``x``, with the one at a position replaced."""
    return subvals(x, [(i, v)])


def func(f: Any) -> Any:
    """The function itself."""
    return f


def quick_grad_check(fun: Any, arg0: Any, extra_args: Sequence[Any] = (), **_: Any) -> None:
    """Check the gradient by the first argument against differences.

    Raises:
        AssertionError: if it differs.
    """
    from autodiff.compat.autograd.test_util import check_grads  # noqa: PLC0415 - that module stands on this one

    check_grads(fun, modes=["rev"], order=1)(arg0, *extra_args)
