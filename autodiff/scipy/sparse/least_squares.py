"""Sparse least squares: SciPy iterates, factors of the equations for solution and residual give the derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.numpy.traced_sparse import TracedSparse, traced_matrix
from autodiff.ops.matrices.products import column
from autodiff.ops.matrices.sparse import Pattern, sparse_solve
from autodiff.scipy.called_back import call_back, known_later
from autodiff.scipy.mirror import holds_traced, plain_call
from autodiff.transforms.stop_gradient import stop_gradient

COUNTS = (1, 2)
"""Where in a result whole numbers stand: why the iteration has ended, and after how many steps."""


def equations(own: TracedSparse, b: Any, damp: Any, x0: Any) -> Any:
    """The x that makes |A x - b|^2 + damp^2 |x - x0|^2 least, from factors of a matrix with two blocks.

    Its other unknown is the residual r = b - A x, with A^T r = damp^2 (x - x0). Where there are fewer equations than
    unknowns and no damping, it is the y of the solution x = x0 + A^T y that is nearest to x0.
    """
    (m, n), rows, columns = own.shape, own.pattern.rows, own.pattern.columns
    exactly = m < n and not holds_traced(damp) and damp == 0
    first, second = (n, m) if exactly else (m, n)
    diagonal, other = np.arange(first), first + np.arange(second)
    inner, outer = (columns, rows) if exactly else (rows, columns)
    pattern = Pattern(
        np.concatenate([diagonal, inner, first + outer, other]),
        np.concatenate([diagonal, first + outer, inner, other]),
        (m + n, m + n),
    )
    sign = -1.0 if exactly else 1.0
    last = np.zeros(second) if exactly else -(damp**2) * np.ones(second)
    data = FUNCTIONS[np.concatenate]([np.full(first, sign), own.data, own.data, last])
    right = FUNCTIONS[np.concatenate]([-x0, b] if exactly else [b, -(damp**2) * x0])
    found = sparse_solve(data, column(right), pattern=pattern)[:, 0]
    return found[:n] if exactly else found[m:]


def plain_options(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Tolerances and the like, by which SciPy decides when it stops, as plain numbers."""
    return {key: peeled(option, f"{name} as {key}=") for key, option in options.items()}


def length(*parts: Any) -> Any:
    """The Euclidean norm of a vector in parts, with derivative 0 at 0."""
    return FUNCTIONS[np.linalg.norm](parts[0] if len(parts) == 1 else FUNCTIONS[np.concatenate](list(parts)))


def iterative(name: str) -> Callable[..., Any]:
    """One of SciPy's iterations for least squares."""
    original = getattr(scipy.sparse.linalg, name)
    damped = name == "lsqr"

    def solve(A: Any, b: Any, damp: Any = 0.0, *args: Any, x0: Any = None, **options: Any) -> Any:
        if not (isinstance(A, TracedSparse) or holds_traced((b, damp, x0))):
            return plain_call(original, (A, b, damp, *args), {"x0": x0, **options})
        args, options = tuple(peeled(list(args), name)), plain_options(name, options)
        own, right = traced_matrix(A), FUNCTIONS[np.reshape](as_operand(b) * 1.0, (-1,))
        begin = np.zeros(own.shape[1]) if x0 is None else as_operand(x0) * 1.0
        operands = (own.data, right, damp, begin)

        def find(operands: Any) -> Any:
            data, b, damp, begin = operands
            matrix = own.pattern.matrix(np.asarray(data))
            found = original(matrix, b, float(damp), *args, x0=None if x0 is None else begin, **options)
            return tuple(np.asarray(part, int if k in COUNTS else float) for k, part in enumerate(found))

        if known_later(operands, lambda: ()):
            like = find(tuple(np.zeros(np.shape(x)) for x in operands))  # shapes do not depend on values
            found = call_back(find, like, operands, {}, {})
        else:
            found = find(peeled(operands, name))
        moving = equations(own, right, damp, begin)
        x = found[0] + (moving - stop_gradient(moving))
        residual = right - own @ x
        plain, shifted = length(residual), length(residual, damp * (x - begin))
        norms = {3: plain, 4: shifted, 8: length(x - begin)} if damped else {3: shifted, 7: length(x)}
        return tuple(x if k == 0 else norms.get(k, stop_gradient(part)[()]) for k, part in enumerate(found))

    solve.__name__ = solve.__qualname__ = name
    solve.__doc__ = f"""SciPy's iteration for least squares, of a matrix and a right-hand side that may be traced.

    The solution, and SciPy's norms of it and of the residual, are differentiated as those of the exact one; what the
    iteration estimates on its way is constant. The matrix needs full rank, or damping.

    >>> import numpy as np, autodiff
    >>> from autodiff.scipy import sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> autodiff.grad(lambda b: sparse.linalg.{name}(A, b)[0][1])(np.ones(3)).round(3)
    array([-0.111,  0.111,  0.444])
    """
    return solve


lsqr, lsmr = iterative("lsqr"), iterative("lsmr")
