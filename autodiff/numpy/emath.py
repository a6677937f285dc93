"""The functions of ``np.emath``: complex where the real numbers have no value. The values decide the dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_strong_operand, implements, peeled
from autodiff.numpy.items.keys import as_index
from autodiff.ops.elementwise import cast
from autodiff.trace.spec import spec_of

# fmt: off
OUTSIDE: dict[str, Callable[[Any], Any]] = {
    "sqrt":    lambda x: x < 0,
    "log":     lambda x: x < 0,
    "log2":    lambda x: x < 0,
    "log10":   lambda x: x < 0,
    "arccos":  lambda x: abs(x) > 1,
    "arcsin":  lambda x: abs(x) > 1,
    "arctanh": lambda x: abs(x) > 1,
}
"""Where the real function has no value."""
# fmt: on


def widened(x: Any, name: str, called: str = "") -> Any:
    """The operand, complex where it is real and one of its elements lies outside."""
    x = as_strong_operand(x)
    its = spec_of(x).dtype
    if its.kind == "c" or not np.any(OUTSIDE[name](as_index(peeled(x, f"np.emath.{called or name}")))):
        return x
    return cast(x, dtype=np.dtype(np.complex64 if its.itemsize <= 4 and its.kind == "f" else np.complex128))


def implement(name: str) -> None:
    """Enter one function."""

    @implements(getattr(np.emath, name))
    def own(x: Any) -> Any:
        return getattr(np, name)(widened(x, name))


for _name in OUTSIDE:
    implement(_name)


@implements(np.emath.logn)
def logn(n: Any, x: Any) -> Any:
    """The logarithm of x to the base n."""
    return np.log(widened(x, "log", "logn")) / np.log(widened(n, "log", "logn"))


@implements(np.emath.power)
def power(x: Any, p: Any) -> Any:
    """x to the power p."""
    p = as_strong_operand(p)
    if spec_of(p).dtype.kind in "iu" and np.any(peeled(p, "np.emath.power") < 0):
        p = p * 1.0
    return np.power(widened(x, "sqrt", "power"), p)
