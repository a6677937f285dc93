"""SciPy's special functions on a GPU: those that CuPy has, by name."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import LATE, on_gpu


def library() -> Any:
    """CuPy's counterpart of scipy.special."""
    return LATE["special"]()


def named(name: str, dtype: Callable[..., Any]) -> Callable[..., Any]:
    """The function of that name in CuPy.

    Args:
        name: the function's.
        dtype: the dtype in which SciPy computes, from the specs of the operands.

    Raises:
        NotImplementedError: when it is called, if CuPy has none.
    """

    def evaluate(*operands: Any) -> Any:
        own = getattr(library(), name, None)
        if own is None:
            raise missing(name)
        wanted = dtype(*map(spec_of, operands))
        return own(*(converted(x, wanted) for x in operands)).astype(wanted, copy=False)

    return evaluate


def converted(x: Any, dtype: Any) -> Any:
    """A real array in the dtype in which SciPy computes; numbers, and complex operands, as they are."""
    return x.astype(dtype, copy=False) if on_gpu(x) and x.dtype.kind != "c" and dtype.kind == "f" else x


def floating(operands: tuple[Any, ...]) -> list[Any]:
    """The operands in dtypes that all of CuPy's special functions have."""
    return [x.astype(np.float64) if on_gpu(x) and x.dtype.kind in "biu" else x for x in operands]


def missing(name: str) -> NotImplementedError:
    """The error of a function that CuPy does not have."""
    return NotImplementedError(
        f"scipy.special.{name} of an array on a GPU{at_user_line()}: CuPy has no such function; compute it in host "
        f"memory, with x.get(), or give a kernel of your own a rule with custom_jvp"
    )


def refused(name: str) -> Callable[..., Any]:
    """What stands for a function that CuPy does not have."""

    def evaluate(*operands: Any, **params: Any) -> Any:
        raise missing(name)

    return evaluate


def polygamma(x: Any, *, order: int) -> Any:
    """The derivatives of the digamma function."""
    own = library()
    (x,) = floating((x,))
    return (-1.0) ** (order + 1) * factorial(order) * own.zeta(order + 1.0, x) if order else own.psi(x)


def exprel(x: Any, *, order: int) -> Any:
    """(exp(x) - 1) / x; its derivatives are not in CuPy."""
    if order:
        raise missing("hyp1f1")
    return library().exprel(x)
