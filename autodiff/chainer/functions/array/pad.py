"""Arrays with a margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import floating
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def pad(x: Any, pad_width: Any, mode: str, **keywords: Any) -> Variable:
    """The array with a margin, as ``numpy.pad``.

    Args:
        x: floating-point numbers.
        pad_width: how many elements before and after each axis.
        mode: what stands in the margin: ``"constant"``, ``"edge"``, ``"reflect"``, ...; zeros for ``"empty"``.
        keywords: what ``numpy.pad`` takes for that mode.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> pad(np.array([1.0, 2.0]), (1, 2), "constant")
    variable([0., 1., 2., 0., 0.])
    """

    def padded(x: Any) -> Any:
        filling = "constant" if mode == "empty" else mode  # what is never written cannot be traced
        return np.pad(x, pad_width, filling, **keywords)  # type: ignore[call-overload]

    return apply("Pad", padded, (x,), floating)


def widths(self: Any) -> Any:
    """How many elements before and after, as an array: a pair where one number was given."""
    given = np.asarray(self.pad_width)
    return np.repeat(given, 2) if given.size == 1 else given


Pad = function_class("Pad", pad, "pad_width, mode, **keywords", computed={"pad_bw": widths})
