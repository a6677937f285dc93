"""How much an operation may round, and in which direction it does in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec

Evaluate = Callable[..., Any]

ALLOWED = 3.0
"""Relative error of a rounded value, in units of its dtype's epsilon: between three and six units in the last place.

Vector mathematics states at most four units for a function, arithmetic half of one.
"""


def larger_in_erfc(x: Any) -> Any:
    """How many times more than usual SciPy's erfc errs in float64.

    It takes 1 - erf(x) for small x; for large ones it rounds x² in exp(-x²), which is x² / 2 units of the result.
    """
    return np.where(x > 0.5, 4.0 + np.minimum(x, 40.0) ** 2 / 4.0, 1.0)


def larger_in_ndtr(x: Any) -> Any:
    """The same of half of erfc(-x / sqrt(2))."""
    return larger_in_erfc(-np.asarray(x) / np.sqrt(2))


LARGER = {"erfc": larger_in_erfc, "ndtr": larger_in_ndtr}
"""Functions of SciPy that err more than others, and how many times more."""


FEW = 8.0
"""The square of it is the number of terms up to which a sum is as exact as other operations. The errors of more terms,
added one after the other, go as far as the square root of their number says."""

FEW_ROWS = 16.0
"""Up to so many rows the errors of eliminations are those of a few operations."""

IN_A_ROW = 512
"""Equal terms round the same way: sums of rows or of products, of which so many are added one after the other, err as
their number says, by half a unit of the partial sum each."""

FEW_PRODUCTS = 2.0
"""The same of sums of products, which BLAS adds in an order of its own."""

CLOSE = 8.0
"""Numbers are taken for equal that differ by so many times their errors at most."""

# fmt: off
SIGNED = frozenset({"fft", "rfft", "irfft", "drop_gauge", "cross"})
"""Linear operations with coefficients of their own, which may be negative."""

INSIDE = frozenset({"logaddexp", "logaddexp2", "sinc"})
"""Operations on single elements that add in the end: near zero their errors are relative to what they are given."""

ONE_BY_ONE = frozenset({"logaddexp_axes"})
"""Reductions that NumPy rounds after each of the elements."""

OF_SHARES = frozenset({"log_softmax"})
"""Logarithms of a sum of shares that is near one: their errors are relative to one, not to a result near zero."""

DIVIDED_BY_SUMS = frozenset({"softmax"})
"""Operations whose results have the errors of a sum of as many terms."""

OF_MATRICES = frozenset({
    "solve", "inv", "det", "slogdet", "cofactor", "cofactor_slope", "solve_triangular", "lu_factor", "cholesky", "qr",
    "svd", "svdvals", "eigh", "eigvalsh", "matrix_function", "solve_sylvester", "pinv", "lstsq",
})
"""Operations that eliminate row by row: their backward errors grow with the order of the matrix."""

SPECTRAL = frozenset({"svd", "svdvals", "eigh", "eigvalsh", "matrix_function", "pinv", "lstsq"})
"""Those of them whose backward errors are relative to the largest element of the matrix."""

COMPARING = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
"""Operations for which it matters whether their two operands are equal."""

CANCELLING = frozenset({"add", "subtract"})
"""Operations for which it matters whether their two operands are opposite, or equal."""
# fmt: on


class Errors:
    """The rounding errors of one run.

    In every other run they have one sign, as those of a sum in another order may have: they add up. In every fourth
    what nearly meets meets: random errors never make two numbers equal, or a difference zero, as rounding does. In half
    of these runs only comparisons meet: of two tanh that are nearly 1 and nearly equal, 1 - tanh² need not be zero.

    Args:
        run: decides all signs.
    """

    def __init__(self, run: int) -> None:
        self.together = run % 2 == 0
        meeting = COMPARING if run % 8 == 6 else COMPARING | CANCELLING
        self.meeting: frozenset[str] = meeting if run % 4 == 2 else frozenset()
        self.random = np.random.default_rng(run)

    def computed(self, primitive: Primitive, values: list[Any], own: Any, evaluate: Evaluate, size: Any) -> Any:
        """The results of an operation.

        The error of a sum is relative to the magnitudes of its terms. Where elements meet otherwise, as in the inverse
        of a matrix, it is what errors of the operands make of it.
        """
        first = own if type(own) is Spec else own[0]
        if is_exact(primitive, first) and not is_length(primitive, values):
            return evaluate(*values)
        if size is None and (primitive.family != "elementwise" or primitive.name in INSIDE):
            times = max(1.0, order(values) / FEW_ROWS) if primitive.name in OF_MATRICES else 1.0
            sizes = map(largest_of_matrix, values) if primitive.name in SPECTRAL else (None,) * len(values)
            values = [self.moved(value, first, own_size, times) for value, own_size in zip(values, sizes)]
        endless = primitive.name in SPECTRAL and not are_finite(values)  # then LAPACK may never return
        found = evaluate(*(map(without_infinities, values) if endless else values))
        if endless or (primitive.name in OF_MATRICES and not self.together):
            found = without_numbers(values, found)
        if type(own) is not Spec:
            return tuple(map(self.moved, found, own))
        if own.dtype.kind == "c" and not self.together:
            found = undecided_parts(values, found, size, own)
        if size is not None and primitive.family in ("linear", "multilinear"):
            if not self.together:
                found = overflowing(primitive, values, found, size, own, evaluate)
            size = size * longer(primitive, terms(values, found))
        if primitive.name in OF_SHARES:
            size = np.maximum(abs(found), 1.0)
        larger = LARGER.get(primitive.name) if own.dtype in (np.float64, np.float32) else None
        times = 1.0 if larger is None else larger(values[0])
        if larger is not None:  # SciPy's are zero where they should be less than the smallest normal number
            size = np.maximum(abs(found), np.finfo(own.dtype).tiny / np.finfo(own.dtype).eps)
        if primitive.name in DIVIDED_BY_SUMS:
            axes = getattr(evaluate, "keywords", {}).get("axes", ())
            times = longer(primitive, float(np.prod([np.shape(found)[axis] for axis in axes])))
        if primitive.name in ONE_BY_ONE:
            times = max(1.0, np.size(values[0]) / max(np.size(found), 1) / (4 * ALLOWED))
        if primitive.name == "prod" and not self.together:
            found = in_another_order(values[0], found, evaluate, own)
        moved = self.moved(found, own, size, times)
        return np.where(found == 0, found, moved) if primitive.name in self.meeting else moved

    def moved(self, value: Any, own: Spec, size: Any = None, times: Any = 1.0) -> Any:
        """A value with an error relative to ``size``, or else to itself, so many times as large as usual."""
        if not own.inexact or np.asarray(value).dtype.kind not in "fc":
            return value
        shape = np.shape(value)
        signs = self.signs(shape)
        if np.asarray(value).dtype.kind == "c":
            signs = signs + 1j * self.signs(shape)
        size = abs(value) if size is None else size
        error = times * ALLOWED * float(np.finfo(own.dtype).eps) * signs * np.where(np.isfinite(size), size, 0.0)
        return value + error

    def signs(self, shape: tuple[int, ...]) -> Any:
        """The directions of errors."""
        return self.random.choice((-1.0, 1.0), () if self.together else shape)


def longer(primitive: Primitive, count: float) -> float:
    """How many times more than an operation on elements a sum of so many terms errs."""
    few = FEW_PRODUCTS if primitive.family == "multilinear" else FEW
    return max(1.0, sqrt(count) / few, min(count, IN_A_ROW) / (4 * ALLOWED))


def in_another_order(factors: Any, found: Any, evaluate: Evaluate, own: Spec) -> Any:
    """Products as they come out where all large factors are multiplied first, or all small ones.

    What overflows before it meets a zero is NaN, before it meets small factors infinite; what underflows stays zero.
    """
    if own.dtype not in (np.float32, np.float64):
        return found
    limits = np.finfo(own.dtype)
    sizes = abs(np.asarray(factors))
    large, small = evaluate(np.maximum(sizes, 1.0)), evaluate(np.where(sizes > 0, np.minimum(sizes, 1.0), 1.0))
    found = np.where(small < float(limits.smallest_subnormal), 0.0, found)
    return np.where(large > float(limits.max), np.where(found == 0, np.nan, np.inf), found)


def overflowing(
    primitive: Primitive, values: Sequence[Any], found: Any, size: Any, own: Spec, evaluate: Evaluate
) -> Any:
    """Sums as they come out where the terms of one sign are added first: infinite, though the whole sum is not.

    Which of the terms meet first is a matter of the order, and so is what a sum of both infinities then is. A product
    that would overflow, added to an infinity as it is multiplied, leaves that infinity.
    """
    if own.dtype not in (np.float32, np.float64):
        return found
    largest = float(np.finfo(own.dtype).max)
    total = size * terms(values, found) if primitive.name == "mean" else size
    whole = found if len(values) != 1 else evaluate(np.asarray(values[0], np.longdouble))  # of more than any double
    hidden = ~np.isfinite(found) & (abs(whole) <= largest)
    found = np.where((total > largest) & (abs(found) <= largest), np.copysign(np.inf, found), found)
    found = np.where(hidden, np.asarray(whole, np.float64), found)
    if not 1 <= len(values) <= 2 or any(np.asarray(value).dtype.kind != "f" for value in values):
        return found
    positive, negative = signed_terms(list(map(without_infinities, values)), evaluate)
    up, down = signed_terms([np.where(np.isinf(value), np.sign(value), 0.0) for value in values], evaluate, values)
    both = (positive > largest) & (negative > largest)
    other = ((up > 0) & (negative > largest)) ^ ((down > 0) & (positive > largest))
    unknown = (both | other) & ~((up > 0) & (down > 0))
    products = len(values) == 2 and not any(np.isnan(value).any() for value in values)
    if products:  # zero times infinity is none, if the zero is not added to others first
        unknown = unknown | np.isnan(found)
    return np.where(unknown, np.where(np.isnan(found), np.copysign(np.inf, up - down), np.nan), found)


def without_infinities(value: Any) -> Any:
    """Finite elements, and zeros in place of others."""
    return np.where(np.isfinite(value), value, 0.0)


def signed_terms(values: Sequence[Any], evaluate: Evaluate, others: Sequence[Any] | None = None) -> tuple[Any, Any]:
    """The sums of all positive terms of an operation, and of all negative ones without their signs.

    Args:
        values: the one or two operands.
        evaluate: the operation, which is linear in each.
        others: what each of two is multiplied with; by default the other one.
    """
    parts = [(np.maximum(value, 0.0), np.maximum(-np.asarray(value), 0.0)) for value in values]
    if len(values) == 1:
        return evaluate(parts[0][0]), evaluate(parts[0][1])
    if others is None:
        (a, b), (c, d) = parts
        return evaluate(a, c) + evaluate(b, d), evaluate(a, d) + evaluate(b, c)
    signs = [(np.sign(np.maximum(value, 0.0)), np.sign(np.maximum(-np.asarray(value), 0.0))) for value in others]
    (a, b), (c, d) = parts
    (e, f), (g, h) = signs
    return (
        evaluate(a, g) + evaluate(b, h) + evaluate(e, c) + evaluate(f, d),
        evaluate(a, h) + evaluate(b, g) + evaluate(e, d) + evaluate(f, c),
    )


def largest_of_matrix(value: Any) -> Any:
    """The largest magnitude of each matrix, for all of its elements."""
    sizes = abs(np.asarray(value))
    if sizes.ndim < 2 or not sizes.size:
        return sizes
    return np.broadcast_to(np.max(np.where(np.isfinite(sizes), sizes, 0.0), (-2, -1), keepdims=True), sizes.shape)


def are_finite(values: Sequence[Any]) -> bool:
    """Whether all elements of all operands are finite."""
    return all(np.isfinite(value).all() for value in values if np.asarray(value).dtype.kind in "fc")


def without_numbers(values: Sequence[Any], found: Any) -> Any:
    """What LAPACK, and others, make of matrices that are not finite: anything."""
    if are_finite(values):
        return found
    if isinstance(found, tuple):
        return tuple(without_numbers(values, part) for part in found)
    return np.where(np.isnan(found), np.inf, np.nan) if np.asarray(found).dtype.kind in "fc" else found


def undecided_parts(values: Sequence[Any], found: Any, size: Any, own: Spec) -> Any:
    """Complex results that overflow, as none: whether ax - by is infinite or none depends on the instruction.

    NumPy's loops for arrays multiply and subtract at once, if the processor can; those for numbers do not.
    """
    largest = float(np.finfo(own.dtype).max)
    sizes = abs(found) if size is None or np.shape(size) != np.shape(found) else np.maximum(abs(found), size)
    finite = all(np.isfinite(value).all() for value in values)
    return np.where((sizes > largest) | (np.isnan(found) & finite), complex(np.nan, np.nan), found)


def order(values: Sequence[Any]) -> int:
    """The rows or columns of the matrices that an operation is given, whichever are more."""
    return max((max(np.shape(value)[-2:], default=1) for value in values), default=1)


def terms(values: Sequence[Any], found: Any) -> float:
    """How many terms there are in each of the sums that an operation gives, or a few more."""
    sizes = [np.size(value) for value in values if np.asarray(value).dtype.kind in "fc"]
    largest = sorted(sizes)[-2:]
    product = float(np.prod(largest)) / max(np.size(found), 1)
    return product if len(largest) < 2 else float(np.sqrt(product))


def is_exact(primitive: Primitive, own: Spec) -> bool:
    """Whether an operation never rounds."""
    widens = primitive.name == "cast" and own.dtype in (np.float64, np.complex128)
    return primitive.moves or widens or primitive.facts.exact or primitive.facts.copies is not None


def is_length(primitive: Primitive, values: Sequence[Any]) -> bool:
    """Whether it is the absolute value of complex numbers, which rounds as that of real ones does not."""
    return primitive.name == "absolute" and np.asarray(values[0]).dtype.kind == "c"


def size_of(primitive: Primitive, sizes: Sequence[Any], evaluate: Evaluate) -> Any:
    """The sum of the magnitudes of the terms of a sum, or of what a sum becomes; None for other operations.

    Kernels add in another order, and sums of sums as one: what cancels between some of the terms may have met others
    before. So sums of products remember how large their terms were.

    Args:
        primitive: the operation.
        sizes: those of its operands.
        evaluate: the operation, with its parameters.
    """
    name = primitive.name
    if name in ("add", "subtract"):
        return sizes[0] + sizes[1]
    if name == "negative":
        return sizes[0]
    if name in ("multiply", "divide", "cast"):
        return evaluate(*sizes)
    if primitive.family in ("linear", "multilinear") and name not in SIGNED:
        return evaluate(*sizes)
    return None


def met(values: Sequence[Any], exact: Sequence[Any], negated: bool) -> list[Any]:
    """Two operands, the second of which is the first, or its negative, wherever errors may have told them apart."""
    x, y = values
    if not all(np.asarray(value).dtype.kind in "fi" for value in values):
        return [x, y]
    other = -x if negated else x
    errors = abs(x - exact[0]) + abs(y - exact[1])
    return [x, np.where(abs(y - other) <= CLOSE * errors, other, y)]
