"""What compilers, reports and drawings ask about a primitive, said once, beside its value and its rules.

``tests/ops/test_facts.py`` holds each fact against what the primitive does in the calls of all rows of cases. What
copies its operand in all of them must say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from autodiff.trace.spec import Spec

Multiplications = Callable[[Sequence[Spec], Spec, dict[str, Any]], float]
"""How many multiplications there are, from the specs of operands and result, and the parameters."""


class Element(NamedTuple):
    """What an elementwise operation does to one element, as an expression of the language of kernels.

    Attributes:
        text: in the names of operands. Each operand and each number has the dtype in which it computes.
        computes: in which dtype. ``"floating"``: the result's, which must be a real floating one; ``"result"``: the
            result's; ``"operands"``: the common dtype of the operands, and the result is a truth value; ``"truth"``:
            truth values alone; ``"own"``: each operand in its own.
        of_truth: the expression where the result is a truth value, if that is another one.
        real_only: whether the operands must be real floating numbers.
        on_integers: whether integers are taken for truth values, for ``computes="truth"``.
        of_integers: the expression where the result is an integer, in whose dtype it computes, if that is another one.
    """

    text: str
    computes: Literal["floating", "result", "operands", "truth", "own"]
    of_truth: str = ""
    real_only: bool = False
    on_integers: bool = False
    of_integers: str = ""


class Fold(NamedTuple):
    """How a reduction puts two parts together.

    Attributes:
        name: of the elementwise operation that it repeats.
        text: the same as an expression of the language of kernels, with ``{}`` for both parts.
    """

    name: str
    text: str

    def beginning(self, dtype: np.dtype[Any]) -> Any:
        """What changes nothing, in a dtype."""
        if self not in (LARGEST, SMALLEST):
            return dtype.type(self in (MULTIPLIED, ALL))
        if dtype.kind == "f":
            return dtype.type(-np.inf if self is LARGEST else np.inf)
        if dtype.kind == "b":
            return np.bool_(self is SMALLEST)
        limits = np.iinfo(dtype)
        return dtype.type(limits.min if self is LARGEST else limits.max)


ADDED, MULTIPLIED = Fold("add", "{} + {}"), Fold("multiply", "{} * {}")
LARGEST, SMALLEST = Fold("maximum", "maximum({}, {})"), Fold("minimum", "minimum({}, {})")
ANY, ALL = Fold("logical_or", "{} | {}"), Fold("logical_and", "{} & {}")


FIRST, ALL_OPERANDS = slice(0, 1), slice(None)
"""Positions of operands."""


class Facts(NamedTuple):
    """What is true of an operation whatever it is given.

    Attributes:
        element: what it does to one element; None where kernels have no expression for it.
        commutative: whether its two operands may be exchanged, with the same bits.
        copies: positions of the operands whose elements the results are; which of them does not depend on their values.
        nonnegative: whether nothing real that it gives is negative.
        exact: whether floating-point numbers are not rounded.
        new: whether its results are new arrays even where NumPy need not make one.
        fold: how the elements of its first operand are put together along ``axes``.
        each: whether it is one operation for each element of the first operand, which are put together some other way.
        multiplications: how many there are of a product.
        cubes: operations for a matrix of n rows, over n cubed, of a factorization or what is made by one.
        label: how it is called in drawings of graphs, with ``{}`` for operands; its name where it is empty.
    """

    element: Element | None = None
    commutative: bool = False
    copies: slice | None = None
    nonnegative: bool = False
    exact: bool = False
    new: bool = False
    fold: Fold | None = None
    each: bool = False
    multiplications: Multiplications | None = None
    cubes: float = 0.0
    label: str = ""


NO_FACTS = Facts()


def floating(text: str, of_integers: str = "", **others: Any) -> Facts:
    """An expression that computes in real floating dtypes, with other facts."""
    return Facts(Element(text, "floating", of_integers=of_integers), **others)


def numeric(text: str, of_truth: str = "", **others: Any) -> Facts:
    """An expression that computes in the dtype of its result, whatever it is."""
    return Facts(Element(text, "result", of_truth), **others)


def comparing(text: str, real_only: bool = False, **others: Any) -> Facts:
    """An expression that computes in the common dtype of its operands and says true or false."""
    return Facts(Element(text, "operands", real_only=real_only), **others)


def logical(text: str, on_integers: bool = False, of_integers: str = "", **others: Any) -> Facts:
    """An expression of truth values."""
    return Facts(Element(text, "truth", on_integers=on_integers, of_integers=of_integers), **others)


def integral(text: str) -> Facts:
    """An expression of integers alone."""
    return floating("", of_integers=text)
