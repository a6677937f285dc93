"""Sums along axes as polynomials: enough algebra to see that what was taken from all elements cancels.

A value is a sum of monomials. A monomial is a product of *atoms*, values that are not looked into, to powers. Atoms
are either the same along the axes, or *varying*; a sum along the axes takes the varying part of a monomial for a new
atom, so that sum(exp(y)) / sum(exp(y)) is 1.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, prod
from typing import Any

from autodiff.backends.passes.rewrite.literals import number
from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.trace.tape import Equation, Operand

Atom = tuple[str, Any]
Monomial = frozenset[tuple[Atom, int]]
Polynomial = dict[Monomial, Fraction]

ONE: Monomial = frozenset()

MANY = 12
"""Polynomials of more terms become atoms."""

DEEP = 16
"""So many operations are looked through."""

Shape = tuple[int, ...]


class Reader:
    """Reads values of a tape as polynomials.

    Args:
        builder: the tape so far.
        shape: the shape of varying values.
        axes: the axes that sums run along, negative numbers.
    """

    def __init__(self, builder: Builder, shape: Shape, axes: tuple[int, ...]) -> None:
        self.builder, self.shape, self.axes = builder, shape, tuple(sorted(axes))
        self.row = tuple(length for k, length in enumerate(shape, -len(shape)) if k not in axes)
        self.column = tuple(1 if k in axes else length for k, length in enumerate(shape, -len(shape)))
        self.leading = self.axes == tuple(range(-len(shape), -len(self.row)))  # then rows broadcast as they are
        self.count = prod(shape[k] for k in axes)
        self.found: dict[tuple[Operand, bool], Polynomial] = {}

    def reduced(self, operand: Operand, depth: int = DEEP) -> Polynomial:
        """A value of the reduced shape, without the axes."""
        return self.read(operand, depth, reduced=True)

    def varying(self, operand: Operand, depth: int = DEEP) -> Polynomial:
        """A value that broadcasts to the shape."""
        return self.read(operand, depth, reduced=False)

    def read(self, operand: Operand, depth: int, reduced: bool) -> Polynomial:
        """A value of one kind or the other; each one is read once."""
        shape = self.builder.spec(operand).shape
        if self.leading and shape == self.row:
            reduced = True
        key = operand, reduced
        found = self.found.get(key)
        if found is None:
            found = self.taken_apart(operand, depth, reduced)
            if found is None or len(found) > MANY:
                same = reduced or all(shape[k] == 1 for k in self.axes if k >= -len(shape))
                found = {frozenset({(("same" if same else "varying", operand), 1)}): Fraction(1)}
            self.found[key] = found
        return found

    def taken_apart(self, operand: Operand, depth: int, reduced: bool) -> Polynomial | None:
        """The polynomial of the operation that made a value; None where it is an atom."""
        value = number(operand)
        if value is not None:
            return {ONE: Fraction(float(value))} if isfinite(value) and value != 0 else {} if value == 0 else None
        maker = self.builder.makers[operand] if isinstance(operand, int) else None
        if maker is None or depth == 0:
            return None
        name = maker.primitive.name
        if name == "reshape":
            return self.reshaped(maker, depth - 1, reduced)
        if name == "sum" and reduced:
            return self.summed(maker, depth - 1)
        arithmetic = ARITHMETIC.get(name)
        if arithmetic is None:
            return None
        found: Polynomial | None = arithmetic(*(self.read(o, depth - 1, reduced) for o in maker.operands))
        return found

    def reshaped(self, maker: Equation, depth: int, reduced: bool) -> Polynomial | None:
        """What changes between the reduced shape and the one with axes of length one."""
        source = maker.operands[0]
        own, out = self.builder.spec(source).shape, maker.specs[0].shape
        if own == self.row and out == self.column:
            return self.read(source, depth, reduced=True)
        if own == self.column and out == self.row:
            return self.read(source, depth, reduced=False)
        return None

    def summed(self, maker: Equation, depth: int) -> Polynomial | None:
        """A sum along the axes."""
        source = maker.operands[0]
        if tuple(sorted(dict(maker.params)["axes"])) != self.axes or self.builder.spec(source).shape != self.shape:
            return None
        return self.total(source, depth)

    def total(self, operand: Operand, depth: int = DEEP) -> Polynomial:
        """The sum of a value along the axes: of each monomial the varying part is summed."""
        out: Polynomial = {}
        for monomial, factor in self.varying(operand, depth).items():
            moving = frozenset(part for part in monomial if part[0][0] == "varying")
            fixed = monomial - moving
            if moving:
                add_to(out, times_monomials(fixed, frozenset({(("sum", moving), 1)})), factor)
            else:
                add_to(out, fixed, factor * self.count)
        return out


def add_to(total: Polynomial, monomial: Monomial, factor: Fraction) -> None:
    """Add one term."""
    now = total.get(monomial, Fraction(0)) + factor
    if now:
        total[monomial] = now
    else:
        total.pop(monomial, None)


def plus(x: Polynomial, y: Polynomial) -> Polynomial:
    """The sum."""
    out = dict(x)
    for monomial, factor in y.items():
        add_to(out, monomial, factor)
    return out


def minus(x: Polynomial) -> Polynomial:
    """The negative."""
    return {monomial: -factor for monomial, factor in x.items()}


def times_monomials(x: Monomial, y: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(x)
    for atom, power in y:
        powers[atom] = powers.get(atom, 0) + power
    return frozenset((atom, power) for atom, power in powers.items() if power)


def times(x: Polynomial, y: Polynomial) -> Polynomial | None:
    """The product; None where it has too many terms."""
    if len(x) * len(y) > MANY:
        return None
    out: Polynomial = {}
    for one, factor in x.items():
        for other, second in y.items():
            add_to(out, times_monomials(one, other), factor * second)
    return out


def over(x: Polynomial, y: Polynomial) -> Polynomial | None:
    """The quotient by a single monomial; None for other divisors."""
    if len(y) != 1:
        return None
    ((monomial, factor),) = y.items()
    return times(x, {frozenset((atom, -power) for atom, power in monomial): 1 / factor})


ARITHMETIC: dict[str, Any] = {
    "add": plus,
    "subtract": lambda x, y: plus(x, minus(y)),
    "negative": minus,
    "multiply": times,
    "divide": over,
    "square": lambda x: times(x, x),
}
