"""How products hand on dependence: of what is constant in them the zeros count."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_lowercase
from typing import Any

import numpy as np

from autodiff.ops.matrices import einsum
from autodiff.transforms.sparse.dependence import Dependence, met
from autodiff.transforms.sparse.operation import SMALL, Found, Operation, within_axes
from autodiff.transforms.sparse.values import Known

LETTERS = ascii_lowercase[:23]


def product_of(terms: Sequence[str], out: str, operation: Operation) -> Found:
    """An Einstein sum: where one operand alone depends on the inputs, zeros of constant ones count."""
    sizes = einsum.lengths(terms, operation.specs)
    summed = [letter for letter in sizes if letter not in out]
    labels = [*out, *summed]
    full = tuple(sizes[letter] for letter in labels)

    def aligned(array: Any, term: str) -> Any:
        order = sorted(range(len(term)), key=lambda k: labels.index(term[k]))
        lengths = [array.shape[term.index(letter)] if letter in term else 1 for letter in labels]
        return array.transpose(order).reshape(lengths)

    places = list(zip(operation.operands, terms, operation.slots, strict=True))
    parts = [Dependence(aligned(o.numbers, t), o.sets) for o, t, _ in places if isinstance(o, Dependence)]
    shape_out = operation.results[0].shape
    if len(parts) == 1 and prod(full) <= SMALL:
        mask = np.ones((1,) * len(full), bool)
        for operand, term, slot in places:
            if isinstance(operand, Known) and term:
                mask = mask & aligned(operation.evidence.nonzeros(operand, slot), term)
        if not mask.all():
            targets = np.arange(prod(shape_out)).reshape((*shape_out, *(1,) * len(summed)))
            there = np.nonzero(np.broadcast_to(mask, full))
            numbers, targets = (np.broadcast_to(array, full)[there] for array in (parts[0].numbers, targets))
            return Dependence(numbers, parts[0].sets).summed(targets, shape_out)
    last = tuple(range(-len(summed), 0))
    return met([part.along(last, False) if last else part for part in parts], shape_out)


def linear_map_rule(operation: Operation) -> Found:
    """Rows times a transposed matrix."""
    return product_of(["xy", "zy"], "xz", operation)


def matmul_rule(operation: Operation) -> Found:
    """Stacks of matrices."""
    x, y = operation.specs
    lead = LETTERS[: max(x.ndim, y.ndim) - 2]
    return product_of(
        [lead[len(lead) - x.ndim + 2 :] + "xy", lead[len(lead) - y.ndim + 2 :] + "yz"], lead + "xz", operation
    )


def matvec_rule(operation: Operation) -> Found:
    """Matrices times vectors."""
    x, v = operation.specs
    lead = LETTERS[: max(x.ndim - 2, v.ndim - 1)]
    return product_of(
        [lead[len(lead) - x.ndim + 2 :] + "xy", lead[len(lead) - v.ndim + 1 :] + "y"], lead + "x", operation
    )


def dot_rule(operation: Operation) -> Found:
    """NumPy's ``dot``."""
    x, y = operation.specs
    left = LETTERS[: x.ndim - 1]
    right = LETTERS[x.ndim : x.ndim + y.ndim - 1]
    second = "y" if y.ndim == 1 else right[:-1] + "y" + right[-1:]
    return product_of([left + "y", second], left + right, operation)


def einsum_rule(operation: Operation) -> Found:
    """Any Einstein sum."""
    terms, out = einsum.split(operation.params["subscripts"])
    return product_of(terms, out, operation)


def sparse_product_rule(operation: Operation) -> Found:
    """Each entry brings a row of the second operand, and itself, into a row of the result."""
    pattern, out = operation.params["pattern"], operation.results[0].shape
    places = np.arange(prod(out)).reshape(out)[..., pattern.rows, :]
    found = []
    for position, operand in enumerate(operation.operands):
        if isinstance(operand, Dependence):
            terms = operand.numbers[..., None] if position == 0 else operand.numbers[..., pattern.columns, :]
            found.append(Dependence(terms, operand.sets).summed(places, out))
    return met(found, out)


def sampled_product_rule(operation: Operation) -> Found:
    """Each entry is a product of two rows."""
    pattern, out = operation.params["pattern"], operation.results[0].shape
    found = []
    for operand, places in zip(operation.operands, (pattern.rows, pattern.columns), strict=True):
        if isinstance(operand, Dependence):
            rows = operand.along((-1,), False)
            found.append(Dependence(rows.numbers[..., places], rows.sets))
    return met(found, out)


def linear_along_axis_rule(operation: Operation) -> Found:
    """A product with the function's matrix, where it is small enough to be looked at."""
    one, out = operation.moving[0], operation.results[0].shape
    length = one.numbers.shape[-1]
    if length > 4096 or length * prod(out) > SMALL:
        return within_axes(operation, (-1,))
    mask = operation.params["rule"].matrix(length).T != 0
    wide = Dependence(one.numbers[..., None, :], one.sets)
    targets = np.arange(prod(out)).reshape((*out, 1))
    return wide.summed(np.where(mask, targets, -1), out)
