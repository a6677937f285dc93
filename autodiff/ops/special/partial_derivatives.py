"""Derivatives of SciPy's functions by parameters for which there is no formula: differences of its own values.

The derivative of an incomplete gamma function by its first argument, of a Bessel function by its order, and their like
are integrals that no library has. The functions themselves are analytic in these parameters, and SciPy's values are
right to nearly all digits. So the derivative of order n is a central difference of 12 values and more, whose
error is that of the values divided by a power of the step: first derivatives agree with closed forms, where there are
some, to 1e-11; each further order loses a digit or two. Where SciPy changes from one formula to another the values
have a seam, and derivatives across it are worse. Steps are powers of two, so that moving a parameter rounds nothing.

Near the end of the interval on which a function is defined, or near a pole, the step is a fraction of the distance.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff.ops.on_gpu.special import refused
from autodiff.trace.link import needed_names
from autodiff.trace.parameters import each, integer, same
from autodiff.trace.primitive import Primitive, elementwise, ufunc_dtype
from autodiff.trace.spec import spec_of

Room = Callable[[Any, Sequence[Any]], Any]
"""How far a parameter may move: its distance from the nearest point at which the function is not analytic.

It is asked with the parameter and all operands."""

Orders = tuple[int, ...]

STEP = 1 / 32
"""The step for functions that change on the scale of one."""

HIGHEST = 6
"""Of higher orders nothing would be left."""

REACH = 6
"""So many values on each side are taken for first and second derivatives, and one more for each order above."""


def anywhere(x: Any, operands: Sequence[Any]) -> Any:
    """Of a parameter that may be any real number."""
    return np.full(np.shape(x), np.inf)


def above(low: float) -> Room:
    """Of a parameter that is larger than a number."""
    return lambda x, operands: x - low


def between(low: float, high: float) -> Room:
    """Of a parameter that lies between two numbers."""
    return lambda x, operands: np.minimum(x - low, high - x)


def off(pole: float) -> Room:
    """Of a parameter at one value of which the function has a pole."""
    return lambda x, operands: np.abs(x - pole)


def off_poles(x: Any, operands: Sequence[Any]) -> Any:
    """Of a parameter at which the gamma function, with its poles at 0, -1, -2, ..., is taken."""
    return np.where(x > 0, x, np.abs(x - np.rint(x)))


@lru_cache
def weights(order: int, reach: int) -> tuple[tuple[int, float], ...]:
    """Pairs of offsets, in steps, and weights of the central difference of an order that is exact for polynomials.

    The polynomial through values at the offsets is the sum of Lagrange's; the weight of a value is the derivative at
    zero of the one that belongs to it.
    """
    offsets = range(-reach, reach + 1)
    found = []
    for own in offsets:
        coefficients = [Fraction(1)]
        for other in offsets:
            if other != own:
                scale = Fraction(1, own - other)
                raised = [Fraction(0), *coefficients]
                kept = [*(-other * c for c in coefficients), Fraction(0)]
                coefficients = [scale * (a + b) for a, b in zip(raised, kept, strict=True)]
        weight = coefficients[order]
        for k in range(2, order + 1):
            weight *= k
        if weight:
            found.append((own, float(weight)))
    return tuple(found)


def differenced(
    function: Callable[..., Any], values: Sequence[Any], orders: Sequence[int], rooms: Sequence[Room]
) -> Any:
    """The mixed derivative of the given orders, one order for each operand."""
    position = next((k for k, order in enumerate(orders) if order), None)
    if position is None:
        return function(*values)
    order, x = orders[position], values[position]
    reach = REACH + max(0, order - 2)
    step = step_within(rooms[position](np.real(x), values))
    remaining = [*orders]
    remaining[position] = 0
    total = 0.0
    for offset, weight in weights(order, reach):
        moved = [*values]
        moved[position] = x + offset * step
        total = total + weight * differenced(function, moved, remaining, rooms)
    return total / step**order


def step_within(room: Any) -> Any:
    """A power of two that is small beside the room, so that the polynomial is the function; NaN where there is none."""
    room = np.where(room > 0, room, np.nan)
    step = STEP * np.minimum(room, 1)
    return np.exp2(np.floor(np.log2(step)))


def partials(
    name: str,
    function: Callable[..., Any],
    rooms: Mapping[str, Room | None],
    output: int | None = None,
    dtype: Callable[..., np.dtype[Any]] | None = None,
    register: bool = True,
) -> Primitive:
    """All derivatives of a function of SciPy, as one operation that is closed under differentiation.

    Args:
        name: the function's.
        function: the function, which broadcasts as a ufunc does.
        rooms: the operands, in their order, and how far each may move; None of one that is a whole number.
        output: which of several results.
        dtype: of the result, from the specs of the operands; by default a ufunc's.
        register: whether tapes that are loaded may name it.

    Returns:
        the primitive ``name_partial`` with a parameter ``orders``: how often it is differentiated by each operand.
    """
    operands = tuple(rooms)
    own_dtype = dtype or ufunc_dtype(function)  # type: ignore[arg-type]
    own_rooms = [room or anywhere for room in rooms.values()]

    def value(*values: Any) -> Any:
        return function(*values) if output is None else function(*values)[output]

    def evaluate(*values: Any, orders: Orders) -> Any:
        wanted = own_dtype(*map(spec_of, values))
        wide = [in_double(x) if room else x for x, room in zip(values, rooms.values(), strict=True)]
        with np.errstate(all="ignore"):
            return np.asarray(differenced(value, wide, orders, own_rooms)).astype(wanted)[()]

    def check(*specs: Any, orders: Orders) -> None:
        same("the number of operands and that of orders", len(specs), len(orders))

    rules: dict[str, Any] = {
        f"d{operand}": raising(lambda: primitive, operands, k) if room else None
        for k, (operand, room) in enumerate(rooms.items())
    }
    primitive: Primitive = elementwise(
        f"{name}_partial",
        evaluate,
        dtype=lambda *specs, orders: own_dtype(*specs),
        on_gpu=refused(name),
        params={"orders": each(integer(0, HIGHEST))},
        check=check,
        register=register,
        **rules,
    )
    return primitive


def in_double(x: Any) -> Any:
    """The numbers in double precision, in which differences are taken."""
    x = np.asarray(x)
    return x.astype(np.result_type(x.dtype, np.float64))


def raising(find: Callable[[], Primitive], operands: tuple[str, ...], position: int) -> Callable[..., Any]:
    """The rule by one operand: the next order."""

    def rule(g: Any, *known: Any) -> Any:
        *values, orders = known
        return g * find()(*values, orders=(*orders[:position], orders[position] + 1, *orders[position + 1 :]))

    return asking_for(rule, (*operands, "orders"))


def asking_for(rule: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """A rule of any number of arguments, which says by names what they are."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(each_name, kind) for each_name in ("g", *names)]
    )
    return rule


def slope(primitive: Primitive, operand: str, g: Any, known: Mapping[str, Any]) -> Any:
    """The derivative of a primitive by one operand, times ``g``, from what is known by name."""
    rule = primitive.rule(primitive.operands.index(operand))
    if rule is None:
        raise TypeError(f"{primitive.name} has no derivative by {operand}")
    return rule(g, *(known[name] for name in needed_names(rule)))
