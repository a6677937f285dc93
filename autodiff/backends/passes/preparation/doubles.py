"""Linear algebra of float32 in float64, rounded in the end: NumPy computes it so, and elimination needs the digits."""

from __future__ import annotations

import numpy as np

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import cast
from autodiff.trace.tape import Equation, Operand

NAMES = ("inv", "solve", "solve_triangular", "det", "slogdet", "cholesky")

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def in_double(builder: Builder, equation: Equation) -> tuple[Operand, ...] | None:
    """The operation of operands in double precision."""
    given = [builder.spec(operand) for operand in equation.operands]
    if any(own.dtype != SINGLE or own.kind != "array" for own in given):
        return None
    wide = [builder.emit(cast, operand, dtype=DOUBLE) for operand in equation.operands]
    found = equation.primitive.spec(*map(builder.spec, wide), **dict(equation.params))
    specs = found if type(found) is tuple else (found,)
    outs = builder.place(Equation(equation.primitive, tuple(wide), equation.params, (), specs, builder.source))
    return tuple(builder.emit(cast, out, dtype=SINGLE) for out in outs)


DOUBLES: Rules = dict.fromkeys(NAMES, (in_double,))
