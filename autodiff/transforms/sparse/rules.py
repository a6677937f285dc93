"""How operations hand on dependence.

Values are looked through, not derivatives: the tapes are those of tangents and cotangents, which are linear. Whatever
has no rule depends on everything that comes in; so does what has one whose indices are not known.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff.ops import creation, index, join, shape
from autodiff.ops.images import overlap, sliding
from autodiff.ops.matrices import decompositions, determinants, solve, triangular
from autodiff.trace.primitive import Primitive
from autodiff.transforms.sparse import product_rules as product
from autodiff.transforms.sparse import window_rules as window
from autodiff.transforms.sparse.dependence import Dependence, met, on_one_table
from autodiff.transforms.sparse.operation import Found, Operation, summed_along, within_axes
from autodiff.transforms.sparse.values import Unknown

SELECTING = {
    shape.broadcast_to, join.split, join.unstack, index.gather, index.slice_set, index.put, creation.full,
    overlap.windows, sliding.pick_from_windows,
}  # fmt: skip
"""Operations each of whose elements is one of an operand, besides those that say that they only move elements."""

LAST_TWO = {
    triangular.solve_triangular, solve.solve, solve.inv, decompositions.cholesky, determinants.det,
    determinants.cofactor,
}  # fmt: skip
"""Operations on stacks of matrices: leading axes are a batch."""


def results_of(operation: Operation) -> list[Dependence]:
    """The dependence of all results of an operation, at least one operand of which depends on the inputs."""
    found = known_rule(operation)
    if found is None:
        parts = [part.everywhere(()) for part in operation.moving]
        return [met(parts, one.shape) for one in operation.results]
    return [found] if isinstance(found, Dependence) else list(found)


def known_rule(operation: Operation) -> Found:
    """What the rule of an operation says, or its family."""
    primitive = operation.primitive
    rule = RULES.get(primitive.name)
    if rule is not None:
        return rule(operation)
    if primitive.family == "elementwise":
        return met(operation.moving, operation.results[0].shape)
    if primitive.moves or primitive in SELECTING:
        return selected(operation)
    if primitive in LAST_TWO:
        return within_axes(operation, (-2, -1))
    axes = operation.params.get("axes", operation.params.get("axis"))
    if isinstance(axes, (int, tuple)):
        return within_axes(operation, (axes,) if isinstance(axes, int) else axes)
    return None


def selected(operation: Operation) -> Found:
    """What moves elements moves the numbers of their sets. Operands without a rule are indices."""
    numbers, sets = on_one_table(operation.moving)
    remaining = iter(numbers)
    operands: list[Any] = []
    for position, (operand, own) in enumerate(zip(operation.operands, operation.specs, strict=True)):
        if isinstance(operand, Dependence):
            if operation.primitive.rule(position) is None:
                return None
            operands.append(next(remaining))
        elif operation.primitive.rule(position) is not None:
            operands.append(np.zeros(own.shape, np.intp))
        elif isinstance(operand, Unknown):
            return None
        else:
            operands.append(operation.value(position))
    params = operation.params
    if "dtype" in params:
        params = {**params, "dtype": np.dtype(np.intp)}
    out = operation.primitive.evaluate(*operands, **params)
    if isinstance(out, tuple):
        return [Dependence(np.asarray(part), sets) for part in out]
    return Dependence(np.asarray(out), sets)


def laid(targets: Callable[[Operation, Any], Any]) -> Callable[[Operation], Found]:
    """The rule of a sum whose transpose selects: that says for each element of the operand where it is added.

    Args:
        targets: the transpose, from the places of the results.
    """

    def rule(operation: Operation) -> Found:
        one, out = operation.one, operation.results[0].shape
        if one is None or any(isinstance(operand, Unknown) for operand in operation.operands):
            return None
        return one.summed(targets(operation, np.arange(prod(out)).reshape(out)), out)

    return rule


def last_axis_rule(operation: Operation) -> Found:
    """Vectors along the last axis."""
    return within_axes(operation, (-1,))


def transpose_of(primitive: Primitive, **options: Callable[[Operation], Any]) -> Callable[[Operation, Any], Any]:
    """The places of the results, selected by another operation with some of the same parameters."""

    def targets(operation: Operation, places: Any) -> Any:
        others = [operation.value(k) for k in range(1, len(operation.operands))]
        return primitive.evaluate(places, *others, **{name: find(operation) for name, find in options.items()})

    return targets


def given(name: str) -> Callable[[Operation], Any]:
    """A parameter of the operation."""
    return lambda operation: operation.params[name]


RULES: dict[str, Callable[[Operation], Found]] = {
    "sum": summed_along,
    "sum_as": summed_along,
    "sum_where": summed_along,
    "sum_from": summed_along,
    "matmul": product.matmul_rule,
    "linear_map": product.linear_map_rule,
    "matvec": product.matvec_rule,
    "dot": product.dot_rule,
    "einsum": product.einsum_rule,
    "sum_labels": product.einsum_rule,
    "cross": last_axis_rule,
    "convolve": window.convolve_rule,
    "slide": window.slide_rule,
    "sum_windows": window.sum_windows_rule,
    "spread_windows": window.spread_windows_rule,
    "segment_spread": window.spread_segments_rule,
    "sparse_product": product.sparse_product_rule,
    "sampled_product": product.sampled_product_rule,
    "linear_along_axis": product.linear_along_axis_rule,
    "scatter_add": laid(transpose_of(index.gather, rest=given("rest"), chosen=lambda operation: False)),
    "lay_in_windows": laid(transpose_of(sliding.pick_from_windows, shape=given("shape"), stride=given("stride"))),
    "overlap_add": laid(
        transpose_of(
            overlap.windows,
            shape=lambda operation: operation.specs[0].shape[-len(operation.params["stride"]) :],
            stride=given("stride"),
            dilation=given("dilation"),
        )
    ),
}  # fmt: skip
