"""Equations with a matrix that is triangular by how it was made: substitution instead of elimination.

Elimination takes two thirds of the cube of the side in multiplications, and NumPy cannot know that the matrix is a
factor. Results are at least as accurate; they differ by rounding, since nothing is exchanged.
"""

from __future__ import annotations

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.trace.tape import Equation, Operand


def solved_by_substitution(builder: Builder, equation: Equation) -> Operand | None:
    """The solution of equations with a factor of Cholesky or QR, or with its transpose."""
    a, b = equation.operands
    found = triangular(builder, a)
    if found is None:
        return None
    from autodiff.ops.matrices.triangular import solve_triangular  # noqa: PLC0415 - imports scipy.linalg

    factor, lower, transposed = found
    return builder.emit(solve_triangular, factor, b, lower=lower, transposed=transposed, unit=False)


def triangular(builder: Builder, operand: Operand) -> tuple[Operand, bool, bool] | None:
    """A matrix that is one, or of which one is the transpose: it, whether it is a lower one, and whether transposed."""
    inner = builder.made(operand, "transpose")
    if inner is not None:
        ndim = len(builder.spec(operand).shape)
        if dict(inner.params)["axes"] != (*range(-ndim, -2), -1, -2):
            return None
        found = triangular(builder, inner.operands[0])
        return None if found is None else (found[0], found[1], not found[2])
    wider = builder.made(operand, "cast")
    source = operand if wider is None else wider.operands[0]
    factor = builder.made(source, "cholesky")
    if factor is not None:
        return operand, not dict(factor.params)["upper"], False
    factor = builder.made(source, "qr")
    if factor is not None and source == factor.results[1]:
        return operand, False, False
    return None


TRIANGLES: Rules = {"solve": (solved_by_substitution,)}
