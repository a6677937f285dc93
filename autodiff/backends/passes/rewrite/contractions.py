"""Einstein sums of two operands as products of matrices, which BLAS computes; sums of products as products of sums."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, rewrite
from autodiff.ops.matrices.einsum import split
from autodiff.ops.matrices.products import matmul
from autodiff.ops.shape import reshape, sum_axes, transpose
from autodiff.trace.tape import Equation, Operand, Tape


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


CONTRACTIONS: Rules = {"einsum": (einsum_as_matmul,), "sum": (sum_of_product,)}


def use_matmul(tape: Tape) -> Tape:
    """The tape with products of matrices in place of Einstein sums of two operands."""
    return drop_dead(rewrite(tape, CONTRACTIONS))
