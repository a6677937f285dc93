"""A few eigenvalues and vectors of large matrices: SciPy finds them, and their equations have the derivatives.

A vector v of length one and its value w solve a v - w v = 0 and (v* v - 1) / 2 = 0: a sparse system with one row more,
on which Newton's steps from the solution are functions of the entries. The value must be alone: where two are equal
neither the vectors nor the single values have derivatives, and the system is singular.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg

from autodiff.numpy.dispatch import FUNCTIONS, peeled
from autodiff.numpy.traced_sparse import TracedSparse, traced_matrix
from autodiff.ops.matrices.products import column
from autodiff.ops.matrices.sparse import Pattern, sparse_product, sparse_solve
from autodiff.scipy.called_back import call_back, known_later
from autodiff.scipy.mirror import holds_traced, plain_call
from autodiff.scipy.optimize.implicit import nesting
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced

ALONE = 1e-7
"""Values that are nearer to another one, in proportion to the largest entry, are not told apart."""


def entries_of(name: str, A: Any) -> TracedSparse:
    """A matrix, sparse or dense, by its entries.

    Raises:
        DifferentiationError: of complex entries.
    """
    if isinstance(A, Traced):
        count, width = spec_of(A).shape
        rows, columns = np.indices((count, width)).reshape(2, -1)
        A = TracedSparse(FUNCTIONS[np.reshape](A, (-1,)), Pattern(rows, columns, (count, width)))
    own = traced_matrix(A)
    if own.dtype.kind == "c":
        raise DifferentiationError(f"{name} of a traced complex matrix has no derivative{at_user_line()}; take eigh")
    return own


def bordered(pattern: Pattern) -> Pattern:
    """The places of a matrix, of its diagonal, and of one column and one row more."""
    n = pattern.shape[0]
    own, last = np.arange(n), np.full(n, n)
    rows = np.concatenate([pattern.rows, own, own, last])
    columns = np.concatenate([pattern.columns, own, last, own])
    return Pattern(rows, columns, (n + 1, n + 1))


def moving(own: TracedSparse, value: Any, vector: Any) -> tuple[Any, Any]:
    """One step of Newton's method from an eigenvalue and its vector."""
    n = own.shape[0]
    residual = sparse_product(own.data, column(vector), pattern=own.pattern)[:, 0] - value * vector
    excess = (FUNCTIONS[np.sum](vector * vector) - 1) / 2
    data = FUNCTIONS[np.concatenate]([own.data * 1.0, -value * np.ones(n), -vector, vector * 1.0])
    right = FUNCTIONS[np.concatenate]([residual, excess[None]])
    step = sparse_solve(data, column(right), pattern=bordered(own.pattern))[:, 0]
    return value - step[n], vector - step[:n]


def check_alone(name: str, matrix: Any, value: float, vector: Any) -> None:
    """Refuse a value that is not alone, by the size of an answer of its equations."""
    n = matrix.shape[0]
    coo = scipy.sparse.coo_array(matrix)
    own = bordered(Pattern(coo.row, coo.col, coo.shape))
    data = np.concatenate([coo.data * 1.0, np.full(n, -value), -vector, vector])
    asked = np.cos(np.arange(n + 1.0))[:, None]
    try:
        answer = own.solve(data, asked)
    except np.linalg.LinAlgError:
        answer = np.array([np.inf])
    scale = np.max(np.abs(coo.data), initial=0.0)
    if not np.all(np.isfinite(answer)) or np.linalg.norm(answer[:-1]) * ALONE * scale > np.linalg.norm(asked):
        raise DifferentiationError(
            f"{name} found the value {value:.6g} more than once{at_user_line()}: equal values and their vectors have "
            "no derivatives of their own; differentiate a function of all of them, as the trace or expm is"
        )


def differentiated(name: str, own: TracedSparse, values: Any, vectors: Any) -> tuple[Any, Any]:
    """Eigenvalues and vectors as functions of the entries."""
    steps = max(1, int(np.ceil(np.log2(nesting(own.data) + 1))))
    pairs = []
    for k in range(spec_of(values).shape[0]):
        value, vector = values[k], vectors[:, k]
        for _ in range(steps):
            value, vector = moving(own, value, vector)
        pairs.append((value, vector))
    return FUNCTIONS[np.stack]([value for value, _ in pairs]), FUNCTIONS[np.stack]([v for _, v in pairs], 1)


def found_by(name: str, own: TracedSparse, find: Any, count: int) -> Any:
    """What SciPy finds for the values of the entries, now or when the program runs."""
    size = own.shape[0]

    def on_values(data: Any) -> Any:
        matrix = own.pattern.matrix(np.asarray(data))
        values, vectors = find(matrix)
        for k, value in enumerate(values):
            check_alone(name, matrix, float(value), vectors[:, k])
        return values, vectors

    if known_later(own.data, lambda: ()):
        return call_back(on_values, (np.zeros(count), np.zeros((size, count))), own.data, {}, {})
    return on_values(peeled(own.data, name))


def eigsh(A: Any, k: int = 6, M: Any = None, *args: Any, return_eigenvectors: bool = True, **options: Any) -> Any:
    """``k`` eigenvalues and vectors of a real symmetric matrix, sparse or dense.

    >>> import numpy as np, autodiff
    >>> from autodiff.scipy import sparse
    >>> def lowest(d):
    ...     return eigsh(sparse.diags_array([d, -np.ones(4), -np.ones(4)], offsets=[0, 1, -1]), 1, which="SA")[0][0]
    >>> autodiff.grad(lowest)(np.full(5, 2.0)).round(4)
    array([0.0833, 0.25  , 0.3333, 0.25  , 0.0833])
    """
    if not isinstance(A, TracedSparse) and not holds_traced((A, M, args, options)):
        options["return_eigenvectors"] = return_eigenvectors
        return plain_call(scipy.sparse.linalg.eigsh, (A, k, M, *args), options)
    if M is not None or args or holds_traced(options):
        raise DifferentiationError(
            f"eigsh of traced values takes A, k and constants by name{at_user_line()}, and no M="
        )
    own = entries_of("eigsh", A)
    if own.shape[0] != own.shape[1]:
        raise ValueError(f"expected square matrix (shape={own.shape})")
    values, vectors = found_by("eigsh", own, lambda matrix: scipy.sparse.linalg.eigsh(matrix, k, **options), k)
    values, vectors = differentiated("eigsh", symmetric(own), values, vectors)
    return (values, vectors) if return_eigenvectors else values


def symmetric(own: TracedSparse) -> TracedSparse:
    """The mean of a matrix and its transpose, so that a derivative is that along symmetric matrices."""
    pattern = own.pattern
    rows = np.concatenate([pattern.rows, pattern.columns])
    columns = np.concatenate([pattern.columns, pattern.rows])
    return TracedSparse(FUNCTIONS[np.concatenate]([own.data, own.data]) / 2, Pattern(rows, columns, own.shape))


def svds(A: Any, k: int = 6, *args: Any, return_singular_vectors: Any = True, **options: Any) -> Any:
    """``k`` singular values of a real matrix, sparse or dense, and their vectors, as SciPy returns them.

    They are eigenvalues of [[0, a], [a*, 0]], whose vectors are those of both sides, one below the other.
    """
    if not isinstance(A, TracedSparse) and not holds_traced((A, args, options)):
        options["return_singular_vectors"] = return_singular_vectors
        return plain_call(scipy.sparse.linalg.svds, (A, k, *args), options)
    if args or holds_traced(options) or return_singular_vectors not in (True, False):
        raise DifferentiationError(
            f"svds of traced values takes A, k and constants by name{at_user_line()}, and return_singular_vectors= "
            "True or False"
        )
    given = entries_of("svds", A)
    (m, n), pattern = given.shape, given.pattern
    rows = np.concatenate([pattern.rows, pattern.columns + m])
    columns = np.concatenate([pattern.columns + m, pattern.rows])
    both = Pattern(rows, columns, (m + n, m + n))
    own = TracedSparse(FUNCTIONS[np.concatenate]([given.data, given.data]) * 1.0, both)

    def find(matrix: Any) -> Any:
        u, s, vh = scipy.sparse.linalg.svds(matrix[:m, m:], k, **options)
        return s, np.concatenate([u, vh.T]) / np.sqrt(2.0)

    values, vectors = differentiated("svds", own, *found_by("svds", own, find, k))
    if not return_singular_vectors:
        return values
    vectors = vectors * np.sqrt(2.0)
    return vectors[:m], values, FUNCTIONS[np.transpose](vectors[m:])
