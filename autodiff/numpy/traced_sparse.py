"""A sparse matrix whose entries are traced, in a pattern that is constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.lib.array_utils import normalize_axis_index

from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS, as_operand
from autodiff.ops.matrices.products import column, conj
from autodiff.ops.matrices.sparse import Pattern, sparse_product
from autodiff.ops.shape import reshape
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.trees.containers import register_tree

SELECTING = "slices, arrays of row or column numbers, masks, np.ix_ of two of these, or two numbers"
HOW = "autodiff.scipy.sparse.coo_array((data, (rows, columns)), shape) makes one of traced entries"


def product(pattern: Pattern, data: Any, x: Any) -> Any:
    """A sparse matrix times a vector or matrix."""
    x = as_operand(x)
    if spec_of(x).ndim != 1:
        return sparse_product(data, x, pattern=pattern)
    y = sparse_product(data, column(x), pattern=pattern)
    return reshape(y, shape=spec_of(y).shape[:-1])


def numbers_of(key: Any, length: int) -> Any:
    """The rows or columns that one part of a key selects; None where it is no slice, list, array or mask of them.

    Raises:
        IndexError: where one of them is out of range.
    """
    if not isinstance(key, (slice, list, range, np.ndarray)):
        return None
    found = np.arange(length)[key]
    return found if found.ndim == 1 else None


def entries_at(places: Any, selected: Any) -> tuple[Any, Any]:
    """The entries in selected rows, in the order of these, and the position of each one's row among the selected."""
    order = np.argsort(places, kind="stable")
    first, last = (np.searchsorted(places[order], selected, side) for side in ("left", "right"))
    counts = last - first
    position = np.repeat(np.arange(selected.size), counts)
    return order[np.arange(position.size) + np.repeat(last - np.cumsum(counts), counts)], position


class TracedSparse:
    """A sparse matrix of traced entries: products, transposes, sums, and what multiplies or adds entries.

    Attributes:
        data: the entries.
        pattern: where they are.
        shape: of the matrix.
    """

    __array_priority__ = 1000.0
    __array_ufunc__ = None
    holds_traced = True

    def __init__(self, data: Any, pattern: Pattern) -> None:
        self.data = data
        self.pattern = pattern
        self.shape = pattern.shape
        self.ndim = 2

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise DifferentiationError(
            f"a sparse matrix with traced entries has no {name!r}{at_user_line()}; it has data, T, conj, dot, toarray, "
            "diagonal and sum, rows and columns, products with vectors and matrices, sums, and factors; make others of "
            "its data"
        )

    def __eq__(self, other: object) -> Any:
        return self.comparisons  # SciPy's are elementwise, Python's own would be False

    __ge__ = __gt__ = __le__ = __lt__ = __ne__ = __eq__
    __hash__ = object.__hash__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise DifferentiationError(
            f"a sparse matrix with traced entries cannot become a NumPy array{at_user_line()}; A.toarray() is traced"
        )

    def __repr__(self) -> str:
        return f"<sparse {self.dtype.name}{list(self.shape)} of {self.nnz} traced entries>"

    @property
    def dtype(self) -> Any:
        return spec_of(self.data).dtype

    @property
    def nnz(self) -> int:
        return int(self.pattern.rows.size)

    @property
    def T(self) -> TracedSparse:
        return TracedSparse(self.data, self.pattern.transpose)

    def transpose(self) -> TracedSparse:
        return self.T

    def conj(self) -> TracedSparse:
        return TracedSparse(conj(self.data), self.pattern)

    def __getitem__(self, key: Any) -> Any:
        """Some rows and columns, as a matrix; for two numbers one element."""
        parts = list(key) if isinstance(key, tuple) else [key]
        parts += [slice(None)] * (2 - len(parts))
        is_mesh = len(parts) == 2 and all(isinstance(part, np.ndarray) and part.ndim == 2 for part in parts)
        if is_mesh and parts[0].shape[1] == 1 == parts[1].shape[0]:
            return self.part(parts[0][:, 0], parts[1][0])
        is_number = [isinstance(part, (int, np.integer)) for part in parts]
        if len(parts) == 2 and all(is_number):
            row, column = (np.arange(length)[[part]] for length, part in zip(self.shape, parts, strict=True))
            return self.part(row, column).sum()
        selected = [numbers_of(part, length) for length, part in zip(self.shape, parts, strict=False)]
        pointwise = not any(isinstance(part, (slice, type(None))) for part in parts)
        if len(parts) != 2 or pointwise or any(part is None for part in selected):
            raise DifferentiationError(
                f"a sparse matrix with traced entries cannot be indexed in this way{at_user_line()}; take {SELECTING}"
            )
        return self.part(*selected)

    def part(self, rows: Any, columns: Any) -> TracedSparse:
        """The matrix of some rows and columns, of which any may come several times."""
        chosen, row = entries_at(self.pattern.rows, rows)
        among, column = entries_at(self.pattern.columns[chosen], columns)
        return TracedSparse(self.data[chosen[among]], Pattern(row[among], column, (rows.size, columns.size)))

    def keep_pattern(self) -> None:
        """Nothing to be done: the pattern is constant, with zeros and with entries in the same place."""

    eliminate_zeros = sum_duplicates = sort_indices = keep_pattern

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, TracedSparse) or scipy.sparse.issparse(x):
            raise DifferentiationError(
                f"the product of sparse matrices with traced entries has no rule{at_user_line()}; multiply by one "
                "of them after the other, A @ (B @ x)"
            )
        return product(self.pattern, self.data, x)

    def __rmatmul__(self, x: Any) -> Any:
        return (
            FUNCTIONS[np.swapaxes](self.T @ FUNCTIONS[np.swapaxes](x, -1, -2), -1, -2) if np.ndim(x) > 1 else self.T @ x
        )

    def dot(self, x: Any) -> Any:
        return self @ x

    def __mul__(self, factor: Any) -> TracedSparse:
        if np.ndim(factor):
            raise DifferentiationError(
                f"elementwise products of sparse matrices with traced entries have no rule{at_user_line()}; multiply "
                "their entries, A.data * b"
            )
        return TracedSparse(self.data * factor, self.pattern)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> TracedSparse:
        if np.ndim(divisor):
            raise DifferentiationError(
                f"elementwise quotients of sparse matrices with traced entries have no rule{at_user_line()}; divide "
                "their entries, A.data / b"
            )
        return TracedSparse(self.data / divisor, self.pattern)

    def __neg__(self) -> TracedSparse:
        return TracedSparse(-self.data, self.pattern)

    def __add__(self, other: Any) -> TracedSparse:
        if isinstance(other, (int, float)) and other == 0:  # with which sum() begins
            return self
        first, second = self, traced_matrix(other)
        if first.shape != second.shape:
            raise ValueError(f"matrices of the shapes {first.shape} and {second.shape} cannot be added")
        rows, columns = (
            np.concatenate([getattr(one.pattern, name) for one in (first, second)]) for name in ("rows", "columns")
        )
        data = FUNCTIONS[np.concatenate]([first.data, second.data])
        return TracedSparse(data, Pattern(rows, columns, self.shape))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + TracedSparse(-traced_matrix(other).data, traced_matrix(other).pattern)

    def __rsub__(self, other: Any) -> Any:
        return TracedSparse(-self.data, self.pattern) + other

    def toarray(self) -> Any:
        """The matrix with its zeros."""
        return self @ np.eye(self.shape[1])

    todense = toarray

    def diagonal(self) -> Any:
        """The entries of the diagonal."""
        inside = np.flatnonzero(self.pattern.rows == self.pattern.columns)
        places = self.pattern.rows[inside]
        own = Pattern(places, np.arange(inside.size), (min(self.shape), max(1, inside.size)))
        return product(own, np.ones(inside.size), self.data[inside]) if inside.size else np.zeros(min(self.shape))

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """The sum of the entries, of columns (0) or of rows (1)."""
        if dtype is not None or out is not None:
            raise DifferentiationError(
                f"the sum of a sparse matrix with traced entries has no dtype= or out={at_user_line()}; leave them out"
            )
        axes = set(range(2)) if axis is None else {normalize_axis_index(own, 2) for own in np.atleast_1d(axis)}
        if len(axes) != 1:
            return FUNCTIONS[np.sum](self.data)
        return self.T @ np.ones(self.shape[0]) if axes == {0} else self @ np.ones(self.shape[1])

    def tocsr(self, copy: bool = False) -> TracedSparse:
        return self

    tocsc = tocoo = tobsr = tocsr

    def copy(self) -> TracedSparse:
        return self

    def asformat(self, format: str | None, copy: bool = False) -> TracedSparse:
        """The matrix, which has one format for all that SciPy has."""
        return self


def traced_matrix(a: Any) -> TracedSparse:
    """A matrix in the form in which traced ones are."""
    if isinstance(a, TracedSparse):
        return a
    if isinstance(a, Traced):
        raise DifferentiationError(f"a traced array is no sparse matrix{at_user_line()}: its pattern is unknown; {HOW}")
    if isinstance(a, scipy.sparse.linalg.LinearOperator):
        raise DifferentiationError(
            f"a LinearOperator has no rule beside traced values{at_user_line()}: its entries are unknown; give a "
            "sparse matrix, or give the solution a rule with custom_vjp"
        )
    if scipy.sparse.issparse(a) and a.ndim != 2:
        raise DifferentiationError(
            f"a sparse array of {a.ndim} axes has no rule beside traced values{at_user_line()}; give it two"
        )
    coo = scipy.sparse.coo_array(a)
    return TracedSparse(coo.data, pattern_of(a, coo))


def operation(name: str, x: Any, y: Any) -> Any:
    """An operator of one of SciPy's sparse matrices and a traced value, on either side.

    The result is traced: an array for products and sums, a :class:`TracedSparse` where entries are multiplied or
    divided. What SciPy would return as an :class:`numpy.matrix` is refused.

    Args:
        name: the operation, such as ``"matmul"``; or a method of the matrix, ``"A.dot"`` or ``"A.multiply"``.
        x: the left operand; the matrix, if it is a method.
        y: the right operand.

    Raises:
        DifferentiationError: for operations that have no rule.
        ValueError: where SciPy raises one, for ``A @ number``.
    """
    is_left = scipy.sparse.issparse(x)
    a, other = (x, y) if is_left else (y, x)
    ndim, is_matrix = spec_of(other).ndim, isinstance(a, scipy.sparse.spmatrix)
    if name == "matmul" or (name == "multiply" and is_matrix and ndim):
        if not ndim:
            raise ValueError(f"a sparse matrix @ a number{at_user_line()} is no product; multiply by *")
        return traced_matrix(a) @ other if is_left else other @ traced_matrix(a)
    if name == "A.dot":
        return operation("matmul" if ndim else "multiply", a, other)
    if name in ("multiply", "A.multiply"):
        return traced_matrix(a) * other if not ndim else entrywise(np.multiply, a, other)
    if name == "divide" and is_left:
        return traced_matrix(a) / other if not ndim else entrywise(np.divide, a, other)
    if name in ("add", "subtract") and ndim and not is_matrix:
        dense = a.toarray()
        return UFUNCS[getattr(np, name)](*((dense, other) if is_left else (other, dense)))
    raise DifferentiationError(
        f"{name} of a {type(a).__name__} and a traced {spec_of(other)!r} has no rule{at_user_line()}; A @ x, x @ A, "
        "A * x and A / x have one, and so has all that is done with A.toarray()"
    )


def entrywise(ufunc: np.ufunc, a: Any, x: Any) -> TracedSparse:
    """A sparse array with each entry multiplied or divided by the element of an array at its place.

    Raises:
        ValueError: if the shapes do not broadcast to that of the sparse array.
    """
    own = traced_matrix(a)
    there = FUNCTIONS[np.broadcast_to](x, own.shape)[own.pattern.rows, own.pattern.columns]
    return TracedSparse(UFUNCS[ufunc](own.data, there), own.pattern)


def pattern_of(a: Any, coo: Any) -> Pattern:
    """The pattern of a matrix of SciPy's."""
    return Pattern(coo.row, coo.col, coo.shape)


def from_arguments(name: str, arg: Any, shape: Any, dtype: Any = None) -> TracedSparse:
    """The matrix that SciPy's class of a name makes of ``(data, (rows, columns))`` or ``(data, indices, indptr)``.

    Raises:
        DifferentiationError: for other arguments.
    """
    if isinstance(arg, TracedSparse):
        return TracedSparse(of_dtype(arg.data, dtype), arg.pattern)
    if not isinstance(arg, tuple) or len(arg) not in (2, 3):
        raise DifferentiationError(
            f"scipy.sparse.{name} finds its pattern in the values, which are traced{at_user_line()}; {HOW}"
        )
    if name.startswith("dia") or (len(arg) == 3 and not name.startswith(("csr", "csc"))):
        raise DifferentiationError(
            f"scipy.sparse.{name} of traced entries has no rule{at_user_line()}; {HOW}, and "
            "autodiff.scipy.sparse.diags_array one of traced diagonals"
        )
    data, least = of_dtype(as_operand(arg[0]), dtype), [0, 0]
    if len(arg) == 2:
        rows, columns = (np.asarray(part) for part in arg[1])
    else:
        minor, pointers = np.asarray(arg[1]), np.asarray(arg[2])
        major = np.repeat(np.arange(pointers.size - 1), np.diff(pointers))
        rows, columns = (major, minor) if name.startswith("csr") else (minor, major)
        least[0 if name.startswith("csr") else 1] = pointers.size - 1  # the last ones may be empty
    if shape is None:
        shape = [max(own, int(places.max(initial=-1)) + 1) for own, places in zip(least, (rows, columns), strict=True)]
    return TracedSparse(data, Pattern(rows, columns, (int(shape[0]), int(shape[1]))))


def of_dtype(data: Any, dtype: Any) -> Any:
    """Entries of a type, if one is asked for."""
    return data if dtype is None else FUNCTIONS[np.astype](data, np.dtype(dtype))


def rebuilt(pattern: Pattern, children: Any) -> Any:
    """A matrix with other entries: one of SciPy's where they are plain, as they leave compiled programs."""
    (data,) = children
    if isinstance(data, np.ndarray) and data.ndim == 1:
        return scipy.sparse.coo_array((data, (pattern.rows, pattern.columns)), pattern.shape).tocsr()
    return TracedSparse(data, pattern)


register_tree(TracedSparse, lambda matrix: ((matrix.data,), matrix.pattern), rebuilt, lambda pattern: ("data",))
