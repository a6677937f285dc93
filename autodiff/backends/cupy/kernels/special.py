"""The kernels of operations that lie on no grid."""

from __future__ import annotations

from typing import Any

from autodiff.backends.cupy.kernels import (
    copying,
    cumulative,
    indices,
    joining,
    moving,
    positions,
    random,
    scatter,
    windows,
)
from autodiff.backends.cupy.kernels.call import PRINTERS, kernel_of
from autodiff.backends.cupy.kernels.writing import Unsupported
from autodiff.trace.tape import Tape

MODULES = (copying, cumulative, indices, joining, moving, positions, random, scatter, windows)
"""Those that enter printers."""


def special_kernel(tape: Tape) -> tuple[str, dict[str, Any]] | None:
    """The kind of the kernel of a tape of one operation, and its parameters besides the tape; None if there is none."""
    (equation,) = tape.equations
    kind = equation.primitive.name
    if kind not in PRINTERS or equation.primitive.view:
        return None
    params: dict[str, Any] = {"ordered": scatter.deterministic()} if kind == "scatter_add" else {}
    try:
        kernel_of(kind=kind, tape=tape, **params)
    except Unsupported:
        return None
    return kind, params


def copy_kernel(tape: Tape) -> tuple[str, dict[str, Any]] | None:
    """The kernel that copies what an operation shows of an array in C order; None if it shows no regular places."""
    try:
        kernel_of(kind="copy_of_view", tape=tape)
    except Unsupported:
        return None
    return "copy_of_view", {}
