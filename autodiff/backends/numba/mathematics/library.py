"""All sources of this folder, and Numba intrinsics that print them where they are called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from autodiff.backends.numba.mathematics import (
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
from autodiff.backends.numba.mathematics.language import Program, Type
from autodiff.backends.numba.mathematics.llvm import print_program
from autodiff.backends.numba.mathematics.lowering import Library
from autodiff.backends.numba.mathematics.names import FUNCTIONS
from autodiff.backends.numba.mathematics.plain import define, floats, plain_intrinsics

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


@functools.cache
def intrinsics() -> dict[str, Callable[..., Any]]:
    """Numba intrinsics by name, each for float32 and float64; those of `plain.py` for integers and booleans too."""
    return plain_intrinsics() | {name: define(name, arity, _codegen(name), floats) for name, arity in FUNCTIONS.items()}


def _codegen(name: str) -> Callable[[Any, Any, Any, Any], Any]:
    def codegen(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        fused = has_fused_multiply_add(context)
        return print_program(builder, program(name, str(signature.return_type), fused), operands, fused)

    return codegen


def has_fused_multiply_add(context: Any) -> bool:
    """Whether the processor that Numba compiles for multiplies and adds with one rounding."""
    triple, _, features = context.codegen().magic_tuple()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))
