"""Einstein's summation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import numbered
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def einsum(*operands: Any) -> Variable:
    """Products summed over the axes that a formula does not keep, as ``numpy.einsum``.

    Args:
        operands: a formula like ``"ij,jk->ik"`` and the arrays; or each array followed by a list of numbers
            that name its axes, and maybe the list of the result.

    Raises:
        ValueError: if the formula is wrong.
        InvalidType: if axes of one name have different lengths, or the numbers are no floating-point numbers.

    >>> einsum("ij,j->i", np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    variable([3., 7.])
    """
    formula, arrays = parsed(operands)
    terms = formula.partition("->")[0].split(",")
    if len(terms) != len(arrays):
        raise ValueError(
            f"Number of einsum subscripts must be equal to the number of operands: {len(terms)} and {len(arrays)}"
            f"{at_user_line()}"
        )
    shapes = [getattr(x, "shape", ()) for x in arrays]
    return apply("EinSum", lambda *xs: np.einsum(formula, *xs), arrays, lambda *xs: alike(numbered(xs), terms, shapes))


def parsed(operands: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Formula and arrays of either way to write them."""
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), operands[1:]
    terms = [letters(names) for names in operands[1::2]]
    arrays = operands[: len(operands) - len(operands) % 2 : 2]
    out = f"->{letters(operands[-1])}" if len(operands) % 2 else ""
    return ",".join(terms) + out, arrays


def letters(names: Any) -> str:
    """Numbers as letters; the Ellipsis stays."""
    return "".join("..." if name is Ellipsis else chr(ord("a") + name) for name in names)


def alike(operands: Any, terms: list[str], shapes: list[tuple[int, ...]]) -> tuple[Any, ...]:
    """Whether all are floating-point numbers, and axes of one name have one length."""
    first: dict[str | int, Any] = {}
    conditions = [operand.dtype.kind == "f" for operand in operands]
    for operand, term, shape in zip(operands, terms, shapes, strict=True):
        for name, place in places(term, shape):
            length = operand.shape[place]
            if name in first:
                conditions.append(first[name] == length)
            first.setdefault(name, length)
    return tuple(conditions)


def places(term: str, shape: tuple[int, ...]) -> list[tuple[str | int, int]]:
    """The names of axes and where they are, from the ellipsis on counted from the end.

    Axes of the ellipsis are named by numbers. Those of length 1 are left out, since they broadcast.
    """
    front, dots, back = term.partition("...")
    named: list[tuple[str | int, int]] = [(name, place) for place, name in enumerate(front)]
    named += [(name, place - len(back)) for place, name in enumerate(back)]
    between = range(len(shape) - len(front) - len(back)) if dots else ()
    return named + [(k, -1 - k - len(back)) for k in between if shape[-1 - k - len(back)] != 1]


EinSum = function_class(
    "EinSum", lambda *xs, in_subs, out_sub: einsum(f"{in_subs}->{out_sub}", *xs), "in_subs, out_sub"
)
