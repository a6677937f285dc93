"""Einstein sums of two operands as products of matrices, which BLAS computes; sums of products as products of sums."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.matrices.einsum import split
from autodiff.ops.matrices.products import matmul
from autodiff.ops.shape import reshape, sum_axes, transpose
from autodiff.trace.tape import Equation, Operand


def einsum_as_matmul(builder: Builder, equation: Equation) -> Operand | None:
    """A sum of products over letters that both operands have, and the result has not.

    The terms are added in another order: the error is that of any sum of so many products.
    """
    if len(equation.operands) != 2 or equation.specs[0].dtype.kind not in "fc" or not equation.specs[0].shape:
        return None
    terms, out = split(dict(equation.params)["subscripts"])
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, equation.operands, strict=True):
        for letter, length in zip(term, builder.spec(operand).shape, strict=True):
            if sizes.setdefault(letter, length) != length:
                return None  # an axis of length one broadcasts
    both = [letter for letter in terms[0] if letter in terms[1]]
    batch = [letter for letter in out if letter in both]
    summed = [letter for letter in both if letter not in out]
    free = [[letter for letter in out if letter in term and letter not in both] for term in terms]
    whole = all(letter in both or letter in out for letter in "".join(terms))
    if not summed or not whole or not (free[0] or free[1]):
        return None
    first, second = (0, 1) if natural(free[0] + free[1], out) >= natural(free[1] + free[0], out) else (1, 0)
    left = arranged(builder, equation.operands[first], terms[first], batch, free[first], summed, sizes)
    right = arranged(builder, equation.operands[second], terms[second], batch, summed, free[second], sizes)
    product = builder.emit(matmul, left, right)
    order = [*batch, *free[first], *free[second]]
    opened = reshaped(builder, product, tuple(sizes[letter] for letter in order))
    return permuted(builder, opened, order, list(out))


MANY_TERMS = 4096
"""Einstein sums of at most so many products stay whole: kernels write them out."""


def einsum_by_pairs(builder: Builder, equation: Equation) -> Operand | None:
    """A sum of products of three operands and more, two by two: those first whose product is smallest.

    The terms are added in another order: the error is that of any sum of so many products.
    """
    terms, out = split(dict(equation.params)["subscripts"])
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, equation.operands, strict=True):
        own = builder.spec(operand)
        if own.dtype != equation.specs[0].dtype or own.dtype.kind not in "fc" or len(set(term)) < len(term):
            return None
        for letter, length in zip(term, own.shape, strict=True):
            if sizes.setdefault(letter, length) != length:
                return None  # an axis of length one broadcasts
    if len(terms) < 3 or prod(sizes.values()) <= MANY_TERMS:
        return None
    left = list(zip(terms, equation.operands, strict=True))
    while len(left) > 2:
        first, second = min(combinations(range(len(left)), 2), key=lambda pair: pair_cost(left, pair, sizes, out))
        (one, x), (other, y) = left[first], left[second]
        left = [each for k, each in enumerate(left) if k not in (first, second)]
        needed = {*out, *(letter for term, _ in left for letter in term)}
        kept = "".join(letter for letter in dict.fromkeys(one + other) if letter in needed)
        left.append((kept, builder.emit(equation.primitive, x, y, subscripts=f"{one},{other}->{kept}", optimize=False)))
    (one, x), (other, y) = left
    return builder.emit(equation.primitive, x, y, subscripts=f"{one},{other}->{out}", optimize=False)


def pair_cost(
    left: Sequence[tuple[str, Operand]], pair: tuple[int, int], sizes: dict[str, int], out: str
) -> tuple[int, int]:
    """The elements of the product of two operands, and the multiplications that it takes."""
    both = {*left[pair[0]][0], *left[pair[1]][0]}
    needed = {*out, *(letter for k, (term, _) in enumerate(left) if k not in pair for letter in term)}
    return prod(sizes[letter] for letter in both & needed), prod(sizes[letter] for letter in both)


def natural(order: Sequence[str], out: str) -> bool:
    """Whether letters stand in the order of the result."""
    return list(order) == [letter for letter in out if letter in order]


def arranged(
    builder: Builder,
    operand: Operand,
    term: str,
    batch: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    sizes: dict[str, int],
) -> Operand:
    """An operand as a stack of matrices."""
    moved = permuted(builder, operand, list(term), [*batch, *rows, *columns])
    lead = tuple(sizes[letter] for letter in batch)
    return reshaped(builder, moved, (*lead, prod(sizes[k] for k in rows), prod(sizes[k] for k in columns)))


def permuted(builder: Builder, operand: Operand, now: list[str], wanted: list[str]) -> Operand:
    """The axes in another order."""
    axes = tuple(now.index(letter) - len(now) for letter in wanted)
    return operand if now == wanted else builder.emit(transpose, operand, axes=axes)


def reshaped(builder: Builder, operand: Operand, shape: tuple[int, ...]) -> Operand:
    """The operand in a shape."""
    return operand if builder.spec(operand).shape == shape else builder.emit(reshape, operand, shape=shape)


def sum_of_product(builder: Builder, equation: Equation) -> Operand | None:
    """The sum of the rows, or columns, of a product: one row of sums times the other matrix.

    The terms are added in another order: the error is that of any sum of so many products.
    """
    product = builder.made(equation.operands[0], "matmul")
    axes = dict(equation.params)["axes"]
    if product is None or axes not in ((-1,), (-2,)) or not builder.used_once(equation.operands[0]):
        return None
    shapes = [builder.spec(operand).shape for operand in product.operands]
    dtypes = {builder.spec(operand).dtype for operand in product.operands}
    if min(map(len, shapes)) < 2 or dtypes != {equation.specs[0].dtype} or equation.specs[0].dtype.kind not in "fc":
        return None
    which = 0 if axes == (-2,) else 1
    summed = builder.emit(sum_axes, product.operands[which], axes=axes)
    lone = tuple(1 if axis - len(shapes[which]) in axes else length for axis, length in enumerate(shapes[which]))
    line = builder.emit(reshape, summed, shape=lone)
    sides = (line, product.operands[1]) if which == 0 else (product.operands[0], line)
    return builder.emit(reshape, builder.emit(matmul, *sides), shape=equation.specs[0].shape)


CONTRACTIONS: Rules = {"einsum": (einsum_as_matmul, einsum_by_pairs), "sum": (sum_of_product,)}
