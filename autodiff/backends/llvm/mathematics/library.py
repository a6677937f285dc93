"""All sources of this folder."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import cast

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.llvm.mathematics import (
    error,
    exact,
    exponential,
    gamma,
    half_pi,
    hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)
from autodiff.backends.llvm.mathematics.language import Program, Type
from autodiff.backends.llvm.mathematics.lowering import Library

_FAMILIES = (
    *(exact, exponential, logarithm, power, half_pi, trigonometric, inverse_trigonometric),
    *(hyperbolic, error, gamma),
)


@functools.cache
def library() -> Library:
    """The sources of every family, parsed."""
    return Library([(family.SOURCE, family.CONSTANTS) for family in _FAMILIES])


def program(name: str, dtype: str, fused: bool = True, scales: bool = False) -> Program:
    """A function as instructions on float32 or float64, for a printer.

    Args:
        name: One of `FUNCTIONS`, which has the number of the operands.
        dtype: "float32" or "float64".
        fused: Whether the machine has a fused multiply-add.
        scales: Whether it multiplies vectors by powers of two in one instruction. The results are the same.
    """
    return library().program(name, (cast("Type", dtype),) * FUNCTIONS[name], fused, scales)


@functools.cache
def fingerprint() -> str:
    """A hash of the text of this folder: object code made with another text is not the same function."""
    import hashlib  # noqa: PLC0415 - slow to import, and no kernel needs it

    text = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        text.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return text.hexdigest()
