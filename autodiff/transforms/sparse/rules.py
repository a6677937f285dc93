"""How operations hand on dependence.

Values are looked through, not derivatives: the tapes are those of tangents and cotangents, which are linear. Whatever
has no rule depends on everything that comes in; so does what has one whose indices are not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.ops import (
    creation,
    decompositions,
    determinants,
    einsum,
    index,
    join,
    overlap,
    segments,
    shape,
    sliding,
    solve,
    sort,
    triangular,
)
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation
from autodiff.transforms.sparse.dependence import Dependence, met, on_one_table
from autodiff.transforms.sparse.values import Evidence, Known, Unknown, Value

Params = Mapping[str, Any]
Found = Dependence | Sequence[Dependence] | None
"""What a rule gives for one result or several; None where it does not know."""

SMALL = 2**26
"""Products with constant matrices are looked into element by element if they take no more multiplications."""

SELECTING = {
    shape.broadcast_to, join.split, join.unstack, index.gather, index.slice_set, index.put, creation.full, overlap.windows,
    sliding.pick_from_windows,
}  # fmt: skip
"""Operations each of whose elements is one of an operand, besides those that say that they only move elements."""

LAST_TWO = {
    triangular.solve_triangular, solve.solve, solve.inv, decompositions.cholesky, determinants.det, determinants.cofactor,
}  # fmt: skip
"""Operations on stacks of matrices: leading axes are a batch."""


class Operation:
    """One operation on a tape, with what is known of its operands.

    Attributes:
        primitive: the operation.
        params: its parameters.
        operands: its operands.
        specs: their specs.
        slots: where they stand on the tape; None for numbers.
        results: the specs of the results.
        evidence: what of constants was looked at.
    """

    def __init__(
        self, equation: Equation, operands: Sequence[Value], specs: Sequence[Spec], evidence: Evidence
    ) -> None:
        self.primitive = equation.primitive
        self.params: dict[str, Any] = dict(equation.params)
        self.operands = operands
        self.specs = specs
        self.slots = [o if isinstance(o, int) else None for o in equation.operands]
        self.results = equation.specs
        self.evidence = evidence

    @property
    def moving(self) -> list[Dependence]:
        """The operands that depend on the inputs."""
        return [operand for operand in self.operands if isinstance(operand, Dependence)]

    @property
    def one(self) -> Dependence | None:
        """The first operand, where it is the only one that depends on the inputs."""
        first = self.operands[0]
        return first if isinstance(first, Dependence) and len(self.moving) == 1 else None

    def value(self, position: int) -> Any:
        """The value of an operand; None where it is not known."""
        operand = self.operands[position]
        return self.evidence.value(operand) if isinstance(operand, Known) else None


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


def within_axes(operation: Operation, axes: tuple[int, ...]) -> Found:
    """What mixes elements along axes alone: results have the shape of the operands, or lack these axes.

    All operands that take part have the axes, which are negative; their other axes broadcast.
    """
    shapes = [part.numbers.shape for part in operation.moving]
    if len({len(own) for own in shapes}) > 1 or any(not -len(shapes[0]) <= axis < 0 for axis in axes):
        return None
    full = np.broadcast_shapes(*shapes)
    found = []
    for one in operation.results:
        rest = shape.without(full, axes)
        lead = one.shape[: len(full) - len(axes)] if axes == tuple(range(-len(axes), 0)) else None
        if one.shape == rest:
            found.append(met([part.along(axes, False) for part in operation.moving], one.shape))
        elif len(one.shape) == len(full) and (one.shape == full or shape.without(one.shape, axes) == rest):
            found.append(met([part.along(axes, True) for part in operation.moving], one.shape))
        elif lead is not None and lead == rest and len(one.shape) >= len(full):
            found.append(met([part.along(axes, True) for part in operation.moving], one.shape))
        else:
            return None
    return found


def summed_along(operation: Operation) -> Found:
    """Sums along axes; a mask, or a first summand, may be among the operands."""
    parts = []
    for position, operand in enumerate(operation.operands):
        if isinstance(operand, Dependence):
            parts.append(operand.along(operation.params["axes"], False) if position == 0 else operand.everywhere(()))
    return met(parts, operation.results[0].shape)


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


LETTERS = "abcdefghijklmnopqrstuvw"


def matmul_rule(operation: Operation) -> Found:
    x, y = operation.specs
    lead = LETTERS[: max(x.ndim, y.ndim) - 2]
    return product_of([lead[len(lead) - x.ndim + 2 :] + "xy", lead[len(lead) - y.ndim + 2 :] + "yz"], lead + "xz", operation)


def matvec_rule(operation: Operation) -> Found:
    x, v = operation.specs
    lead = LETTERS[: max(x.ndim - 2, v.ndim - 1)]
    return product_of([lead[len(lead) - x.ndim + 2 :] + "xy", lead[len(lead) - v.ndim + 1 :] + "y"], lead + "x", operation)


def dot_rule(operation: Operation) -> Found:
    x, y = operation.specs
    left = LETTERS[: x.ndim - 1]
    right = LETTERS[x.ndim : x.ndim + y.ndim - 1]
    second = "y" if y.ndim == 1 else right[:-1] + "y" + right[-1:]
    return product_of([left + "y", second], left + right, operation)


def einsum_rule(operation: Operation) -> Found:
    terms, out = einsum.split(operation.params["subscripts"])
    return product_of(terms, out, operation)


def convolve_rule(operation: Operation) -> Found:
    """Each element is added to as many results as the other vector is long."""
    one, out = operation.moving[0], operation.results[0].shape
    if len(operation.moving) > 1:
        return within_axes(operation, (-1,))
    position = list(operation.operands).index(one)
    other = operation.specs[1 - position].shape[-1]
    wide = Dependence(one.numbers[..., None], one.sets).spread((*out[:-1], one.numbers.shape[-1], other))
    places = np.arange(one.numbers.shape[-1])[:, None] + np.arange(other)
    return wide.summed(np.arange(prod(out[:-1])).reshape((*out[:-1], 1, 1)) * out[-1] + places, out)


def slide_rule(operation: Operation) -> Found:
    """Windows of the longer vector."""
    one, out = operation.one, operation.results[0].shape
    if one is None:
        return within_axes(operation, (-1,))
    width = operation.specs[1].shape[-1]
    seen = one.moved(lambda n: np.lib.stride_tricks.sliding_window_view(n, width, axis=-1))
    return met([seen.along((-1,), False)], out)


def sum_windows_rule(operation: Operation) -> Found:
    one = operation.moving[0]
    size, stride = operation.params["shape"], operation.params["stride"]
    seen = one.moved(lambda n: overlap.windows.evaluate(n, shape=size, stride=stride, dilation=(1,) * len(size)))
    return seen.along(range(-len(size), 0), False)


def spread_windows_rule(operation: Operation) -> Found:
    one, out = operation.moving[0], operation.results[0].shape
    size, stride = operation.params["shape"], operation.params["stride"]
    places = np.arange(prod(out)).reshape(out)
    targets = overlap.windows.evaluate(places, shape=size, stride=stride, dilation=(1,) * len(size))
    wide = Dependence(one.numbers.reshape((*one.numbers.shape, *(1,) * len(size))), one.sets)
    return wide.summed(targets, out)


def spread_segments_rule(operation: Operation) -> Found:
    one, out, axis = operation.moving[0], operation.results[0].shape, operation.params["axis"]
    rows = np.moveaxis(one.numbers, axis, 0)
    pieces = segments.segments(operation.params["indices"], operation.params["length"])
    chosen = np.concatenate([rows[:0], *(np.broadcast_to(rows[k], (b - a, *rows.shape[1:])) for k, (a, b) in enumerate(pieces))])
    places = np.moveaxis(np.arange(prod(out)).reshape(out), axis, 0)
    hit = np.concatenate([places[:0], *(places[a:b] for a, b in pieces)])
    return Dependence(chosen, one.sets).summed(hit, out)


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
    pattern, out = operation.params["pattern"], operation.results[0].shape
    found = []
    for operand, places in zip(operation.operands, (pattern.rows, pattern.columns), strict=True):
        if isinstance(operand, Dependence):
            found.append(operand.along((-1,), False).moved(lambda n, places=places: n[..., places]))
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
    "matmul": matmul_rule,
    "linear_map": lambda operation: product_of(["xy", "zy"], "xz", operation),
    "matvec": matvec_rule,
    "dot": dot_rule,
    "einsum": einsum_rule,
    "sum_labels": einsum_rule,
    "cross": lambda operation: within_axes(operation, (-1,)),
    "convolve": convolve_rule,
    "slide": slide_rule,
    "sum_windows": sum_windows_rule,
    "spread_windows": spread_windows_rule,
    "segment_spread": spread_segments_rule,
    "sparse_product": sparse_product_rule,
    "sampled_product": sampled_product_rule,
    "linear_along_axis": linear_along_axis_rule,
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
