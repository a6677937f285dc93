"""The ufuncs of scipy.special, for traced values. It is loaded when the first of them is called with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.special as sp

from autodiff.numpy.dispatch import UFUNCS, register_ufuncs
from autodiff.ops.special import (  # noqa: F401 - their operations are entered by name
    bessel,
    distribution_functions,
    elliptic,
    hypergeometric,
    integral_functions,
    orthogonal,
    wave_functions,
)
from autodiff.ops.special import gamma as special
from autodiff.ops.special.scipy_functions import SEVERAL
from autodiff.trace.primitive import Primitive


def together(results: tuple[Primitive, ...]) -> Callable[..., Any]:
    """A function of several results, each of which is an operation."""
    return lambda *operands: tuple(result(*operands) for result in results)


register_ufuncs()
UFUNCS[sp.exprel] = lambda x: special.exprel(x, order=0)
for _ufunc, _results in SEVERAL.items():
    UFUNCS[_ufunc] = together(_results)
