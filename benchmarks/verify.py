"""Is the gradient right? A complex step through plain NumPy knows, to the last digits, without any tape."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.subjects.numpy_alone import NumPyAlone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.case import Case

    Array = np.ndarray[Any, Any]

STEP = 1e-30
ULPS = 16.0


class WrongGradientError(Exception):
    """A subject's value or gradient differs from the complex step: the whole run stops."""


@lru_cache(maxsize=4)
def expected(case: Case) -> list[Array]:
    """The value of the program and the gradient of its sum for every leaf, in double precision."""
    leaves = [leaf.astype(complex) for leaf in case.leaves()]
    pairs = case.pairs()

    def run(stepped: int | None) -> Array:
        converted = ((factor.astype(complex), offset.astype(complex)) for factor, offset in pairs)
        program = case.definition.build(NumPyAlone(), converted)
        result: Array = program(*(leaf + 1j * STEP * (which == stepped) for which, leaf in enumerate(leaves)))
        return result

    return [run(None).real, *(run(which).imag / STEP for which in range(len(leaves)))]


def verify(subject: str, case: Case, actual: Sequence[Array], keeps_dtype: bool) -> None:
    """Raise WrongGradientError unless value and gradients are right; rounding may grow as a random walk."""
    tolerance = ULPS * float(np.finfo(case.dtype).eps) * case.operations**0.5
    names = ["value", *(f"gradient of leaf {which}" for which in range(case.definition.leaves))]
    for name, right, found in zip(names, expected(case), actual):
        where = f"{subject}, {case.program}, length {case.length}, {case.dtype}: {name}"
        if found.shape != right.shape:
            raise WrongGradientError(f"{where} has shape {found.shape}, needed {right.shape}")
        if keeps_dtype and found.dtype != case.dtype:
            raise WrongGradientError(f"{where} has dtype {found.dtype}, needed {case.dtype}")
        error = float(np.max(np.abs(found - right)) / np.max(np.abs(right)))
        if not error <= tolerance:
            raise WrongGradientError(f"{where} is off by {error:.3g} of its size, allowed {tolerance:.3g}")
