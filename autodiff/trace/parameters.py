"""What the parameters of primitives may be.

A tape from a file is made of what somebody wrote. So each primitive says beside its definition what its parameters
are: a :class:`Domain` for each by its name, and what shapes have to agree on in a function ``check``. No function of
the primitive sees a parameter of a loaded tape before it was found in its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import Any

import numpy as np

from autodiff.trace.spec import LARGEST, Spec, is_number, sound_shape

Operands = Sequence[Spec]

LONG = 80
"""Values whose text is longer are cut in error texts."""


@dataclass(frozen=True)
class Domain:
    """The values that a parameter may have.

    Attributes:
        text: what they are, for error texts.
        holds: whether a value is among them, for operands of given specs.
        needed: whether the parameter may not be left out.
    """

    text: str
    holds: Callable[[Any, Operands], bool]
    needed: bool = True


Params = Mapping[str, Domain]
"""The domains of parameters by their names."""

NO_PARAMS: Params = {}


def require(condition: bool, text: str) -> None:
    """Refuse operands and parameters that do not go together."""
    if not condition:
        raise ValueError(text)


def same(what: str, first: Any, second: Any) -> None:
    """Refuse two things that must be equal and are not."""
    require(first == second, f"{what} must agree, and are {first} and {second}")


def check_array(operand: Spec) -> None:
    """Refuse a Python number where an array, or a number of NumPy, is needed."""
    require(operand.kind != "python", "a Python number has no axes")


# Numbers.


def is_int(value: Any, least: int, most: int) -> bool:
    """Whether it is a Python int in a range; True and False are none."""
    return type(value) is int and least <= value <= most


def integer(least: int, most: int = LARGEST) -> Domain:
    """The integers of a range."""
    text = f"an int of at least {least}" if most == LARGEST else f"an int from {least} to {most}"
    return Domain(text, lambda value, operands: is_int(value, least, most))


def real(least: float, most: float) -> Domain:
    """The finite real numbers of a range."""
    return Domain(
        f"a number from {least} to {most}",
        lambda value, operands: type(value) in (int, float, np.float64) and least <= value <= most,
    )


FLAG = Domain("True or False", lambda value, operands: type(value) is bool)
LENGTH = integer(0)
COUNT = integer(1)
FINITE = real(-np.finfo(float).max, float(np.finfo(float).max))


# Lengths and axes.


def is_axis(value: Any, ndim: int) -> bool:
    """Whether it is an axis, counted from the end, of an array with so many."""
    return is_int(value, -ndim, -1)


def are_axes(value: Any, ndim: int) -> bool:
    """Whether it is a tuple of different axes."""
    return type(value) is tuple and all(is_axis(axis, ndim) for axis in value) and len(set(value)) == len(value)


SHAPE = Domain("a shape: a tuple of lengths", lambda value, operands: sound_shape(value))
AXIS = Domain(
    "an axis of the operand, from -ndim to -1",
    lambda value, operands: bool(operands) and is_axis(value, operands[0].ndim),
)
NEW_AXIS = Domain(
    "an axis of the result, from -ndim to -1",
    lambda value, operands: bool(operands) and is_axis(value, operands[0].ndim + 1),
)
AXES = Domain(
    "a tuple of different axes of the operand, from -ndim to -1",
    lambda value, operands: bool(operands) and are_axes(value, operands[0].ndim),
)


# Others.


def is_key_part(value: Any) -> bool:
    """Whether it is one part of a basic key: an int, the triple of a slice, or None."""
    if value is None or is_int(value, -LARGEST, LARGEST):
        return True
    return (
        type(value) is tuple
        and len(value) == 3
        and all(bound is None or is_int(bound, -LARGEST, LARGEST) for bound in value)
        and value[2] != 0
    )


def is_key(value: Any) -> bool:
    """Whether it is a basic key: parts, and perhaps an Ellipsis behind them."""
    if type(value) is not tuple:
        return False
    parts = value[:-1] if value and type(value[-1]) is EllipsisType else value
    return all(map(is_key_part, parts))


KEY = Domain("a tuple of ints, triples for slices, None, and an Ellipsis at the end", lambda v, operands: is_key(v))
DTYPE = Domain("a dtype of numbers", lambda value, operands: isinstance(value, np.dtype) and is_number(value))


def one_of(*choices: Any) -> Domain:
    """One of a few texts, numbers or None."""
    return Domain(
        f"one of {', '.join(map(repr, choices))}",
        lambda value, operands: any(type(value) is type(choice) and value == choice for choice in choices),
    )


def instance_of(kind: type, text: str) -> Domain:
    """The instances of a class."""
    return Domain(text, lambda value, operands: isinstance(value, kind))


def each(domain: Domain, least: int = 0) -> Domain:
    """The tuples, of at least so many parts, of what is in a domain."""
    return Domain(
        f"a tuple, each part of which is {domain.text}",
        lambda value, operands: (
            type(value) is tuple and len(value) >= least and all(domain.holds(part, operands) for part in value)
        ),
    )


def optional(domain: Domain) -> Domain:
    """None, or what is in a domain."""
    return Domain(
        f"None or {domain.text}", lambda value, operands: value is None or domain.holds(value, operands), domain.needed
    )


def unless_left_out(domain: Domain) -> Domain:
    """What is in a domain, for a parameter that need not be there."""
    return replace(domain, needed=False)


def shortened(value: Any) -> str:
    """A value as error texts show it; tapes and long texts are cut."""
    if type(value) not in (bool, int, float, str, tuple, type(None)) and not isinstance(value, (np.generic, np.dtype)):
        return type(value).__name__
    text = repr(value)
    return text if len(text) <= LONG else f"{text[:LONG]}..."
