"""Names of ``autograd.util``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.compat.autograd.substitution import subval, subvals
from autodiff.compat.autograd.test_util import check_grads

__all__ = ["func", "quick_grad_check", "subval", "subvals"]


def func(f: Any) -> Any:
    """The function itself."""
    return f


def quick_grad_check(fun: Any, arg0: Any, extra_args: Sequence[Any] = (), **_: Any) -> None:
    """Check the gradient by the first argument against differences.

    Raises:
        AssertionError: if it differs.
    """
    check_grads(fun, modes=["rev"], order=1)(arg0, *extra_args)
