"""Formulas that several passes know when they see them."""

from __future__ import annotations

from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.trace.tape import Equation, Literal, Operand

Axes = tuple[int, ...]
Shape = tuple[int, ...]


def is_one(operand: Operand) -> bool:
    """Whether an operand is the number 1."""
    return isinstance(operand, Literal) and type(operand.value) in (int, float) and operand.value == 1


def column_shape(shape: Shape, axes: Axes) -> Shape:
    """The shape with length one along the axes, as what was reduced along them broadcasts."""
    return tuple(1 if k in axes else length for k, length in enumerate(shape, -len(shape)))


def unshaped(builder: Builder, operand: Operand) -> Operand:
    """What an operand is a reshape of, or itself."""
    inner = builder.made(operand, "reshape")
    return inner.operands[0] if inner is not None else operand


def exponential(builder: Builder, operand: Operand) -> Equation | None:
    """The exponential of real floating-point numbers that a value is."""
    inner = builder.made(operand, "exp")
    if inner is None or inner.specs[0].dtype.kind != "f":
        return None
    return inner if builder.spec(inner.operands[0]).dtype == inner.specs[0].dtype else None


def largest_below(builder: Builder, operand: Operand) -> Equation | None:
    """The maximum in x - max(x)."""
    inner = builder.made(operand, "subtract")
    largest = builder.made(unshaped(builder, inner.operands[1]), "max") if inner is not None else None
    if inner is None or largest is None or largest.operands[0] != inner.operands[0]:
        return None
    shape = builder.spec(inner.operands[0]).shape
    below, axes = builder.spec(inner.operands[1]).shape, dict(largest.params)["axes"]
    return largest if below == column_shape(shape, axes) or not below else None


def never_above_zero(builder: Builder, operand: Operand) -> bool:
    """Whether a value is x - max(x), or x less its maximum as a finite number: no exponential of one is above 1.

    But those of an infinity, beside which all others are zero.
    """
    if largest_below(builder, operand) is not None:
        return True
    inner = builder.made(operand, "subtract")
    below = builder.made(unshaped(builder, inner.operands[1]), "minimum") if inner is not None else None
    above = builder.made(below.operands[0], "maximum") if below is not None else None
    largest = builder.made(above.operands[0], "max") if above is not None else None
    return inner is not None and largest is not None and largest.operands[0] == inner.operands[0]


def is_shifted(builder: Builder, operand: Operand) -> bool:
    """Whether a value is x - max(x), or x less its maximum where that is finite: its exponentials do not overflow."""
    if never_above_zero(builder, operand):
        return True
    inner = builder.made(operand, "subtract")
    choice = builder.made(unshaped(builder, inner.operands[1]), "where") if inner is not None else None
    largest = builder.made(choice.operands[1], "max") if choice is not None else None
    return inner is not None and largest is not None and largest.operands[0] == inner.operands[0]


def exponential_beside_one(builder: Builder, operand: Operand) -> Equation | None:
    """The exponential in 1 + exp(x)."""
    total = builder.made(operand, "add")
    if total is None:
        return None
    for one, other in (total.operands, total.operands[::-1]):
        grown = exponential(builder, other)
        if grown is not None and is_one(one):
            return grown
    return None


def summed_exponential(builder: Builder, operand: Operand) -> tuple[Equation, Axes] | None:
    """The exponential and the axes in sum(exp(x)), which may be reshaped so that it broadcasts against exp(x)."""
    total = builder.made(unshaped(builder, operand), "sum")
    grown = exponential(builder, total.operands[0]) if total is not None else None
    if total is None or grown is None:
        return None
    axes: Axes = dict(total.params)["axes"]
    shape = builder.spec(operand).shape
    if not axes or not grown.specs[0].size:
        return None
    fits = shape in (total.specs[0].shape, column_shape(grown.specs[0].shape, axes))
    return (grown, axes) if fits else None
