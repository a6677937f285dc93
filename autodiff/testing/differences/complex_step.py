"""The derivative from one imaginary step: exact to rounding, where complex numbers are carried through.

W. Squire and G. Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40
(1998).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.trees.tree import flatten

STEP = 1e-30
"""So small that its square vanishes: the real part stays the value, the imaginary part is the slope."""


def complex_step_derivative(along: Callable[[complex], Any], primals: Sequence[Any]) -> tuple[Any, Any]:
    """The derivative of a function of one number at 0, and its rounding error: two trees like the output.

    Args:
        along: the function; it returns a tree of arrays.
        primals: the arguments that it moves, all of them real.
    """
    for primal in primals:
        if np.asarray(primal).dtype.kind == "c":
            raise TypeError(
                "the complex step needs real arguments, and a complex one arrived; use method='central' "
                "for functions of complex arguments"
            )
    leaves, structure = flatten(along(STEP * 1j))
    for leaf in leaves:
        if np.asarray(leaf).dtype.kind != "c":
            raise TypeError(
                f"the complex step needs a function that carries complex numbers through, and dtype "
                f"{np.asarray(leaf).dtype} came out; use method='central' for it"
            )
    slopes = [np.imag(leaf) / STEP for leaf in leaves]
    errors = [np.finfo(slope.dtype).eps * abs(slope) for slope in slopes]
    return structure.unflatten(slopes), structure.unflatten(errors)
