"""Functions of distributions that SciPy computes by compiled code, integrals or iterations, as operations.

The values are SciPy's own. A distribution function has the density as its derivative by the argument, and a quantile
follows from the distribution function that it inverts. By a parameter of the distribution, differences are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from scipy.stats import rv_continuous

from autodiff.ops.elementwise import exp
from autodiff.ops.on_gpu.special import refused
from autodiff.ops.special.partial_derivatives import Room, anywhere, asking_for, between, partials
from autodiff.ops.special.scipy_functions import first_order
from autodiff.trace.link import Rule
from autodiff.trace.primitive import Primitive, elementwise
from autodiff.trace.spec import Spec, spec_of
from autodiff.transforms.jvp import jvp

Evaluate = Callable[..., Any]

INVERSES = {"_ppf": ("_cdf", 1), "_isf": ("_sf", -1)}
"""Quantiles, what they invert, and whether that grows or falls."""

PIECES = {"ksone": 1, "kstwo": 2}
"""Distributions made of polynomials, each on an interval of length 1 / (pieces * n): differences stay inside of it."""

DENSITIES = {"_cdf": 1, "_sf": -1}
LOGARITHMS = {"_logcdf": 1, "_logsf": -1}


def double(*specs: Spec) -> np.dtype[Any]:
    """The dtype of all that SciPy's distributions return."""
    return np.dtype(np.float64)


def operation(distribution: Any, name: str, evaluate: Evaluate) -> Primitive:
    """A method of a distribution, of its argument and parameters.

    Args:
        distribution: SciPy's.
        name: the method.
        evaluate: ``evaluate(distribution, name, args)`` computes other methods.
    """
    count = distribution.numargs
    operands = ("x", *(f"p{k}" for k in range(count)))
    beside = [room and keeping_inside(distribution, k, room) for k, room in enumerate(parameter_rooms(distribution))]
    rooms = dict(zip(operands, (support_room(distribution), *beside), strict=True))
    label = f"{distribution.name}.{name.removeprefix('_')}"
    known = closed_rules(distribution, name, evaluate, operands)
    if name in INVERSES:
        rules: dict[str, Any] = known
    else:
        partial = partials(label, vectorized(distribution, name), rooms, dtype=double, register=False)
        rules = {
            f"d{operand}": known.get(f"d{operand}") or (first_order(partial, k) if rooms[operand] else None)
            for k, operand in enumerate(operands)
        }
    if not hasattr(distribution, "_pdf"):  # discrete: the argument is a whole number
        rules = {**rules, "dx": None}
        if name in INVERSES:
            rules = dict.fromkeys(rules)
    own = vectorized(distribution, name)
    return elementwise(label, own, dtype=double, on_gpu=refused(label), register=False, **rules)


def of_parameters(distribution: Any, name: str, function: Callable[..., Any]) -> Primitive:
    """A number that belongs to a distribution, such as its entropy, as an operation on its parameters."""
    operands = [f"p{k}" for k in range(distribution.numargs)]
    rooms = dict(zip(operands, parameter_rooms(distribution), strict=True))
    label = f"{distribution.name}.{name}"
    partial = partials(label, function, rooms, dtype=double, register=False)
    rules: dict[str, Any] = {
        f"d{operand}": first_order(partial, k) if rooms[operand] else None for k, operand in enumerate(operands)
    }
    return elementwise(label, function, dtype=double, on_gpu=refused(label), register=False, **rules)


def vectorized(distribution: Any, name: str) -> Callable[..., Any]:
    """A method that takes operands that broadcast, and returns a number of those without axes.

    It is NaN where parameters are impossible: there SciPy does not ask its methods, of which some fail or never return.
    """

    def call(*operands: Any) -> Any:
        arrays = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in operands))
        if not arrays[0].size:  # some of SciPy's methods take no empty arrays
            return np.zeros(arrays[0].shape)
        flat = list(map(np.ravel, arrays))
        found = np.full(flat[0].shape, np.nan)
        with np.errstate(all="ignore"):
            possible = np.broadcast_to(distribution._argcheck(*flat[1:]), flat[0].shape) != 0
            if possible.any():
                found[possible] = getattr(distribution, name)(*(each[possible] for each in flat))
        return np.reshape(found, arrays[0].shape)[()]

    return call


def support_room(distribution: Any) -> Room:
    """How far the argument may move inside of the support."""
    pieces = PIECES.get(distribution.name)

    def room(x: Any, operands: Sequence[Any]) -> Any:
        low, high = distribution._get_support(*operands[1:])
        inside = np.minimum(x - low, high - x)
        if pieces is None:
            return inside
        length = 1 / (pieces * operands[1])
        seam = np.abs(x - length * np.rint(x / length))
        return np.minimum(inside, np.maximum(seam, 1e-3 * length))

    return room


def parameter_rooms(distribution: Any) -> list[Room | None]:
    """How far each parameter may move in what SciPy knows of it; None of whole numbers."""
    return [
        None if info.integrality else anywhere if info.domain == (-inf, inf) else between(*info.domain)
        for info in distribution._shape_info()
    ]


def keeping_inside(distribution: Any, position: int, own: Room) -> Room:
    """How far a parameter may move until the end of the support, which moves with it, comes to the argument."""
    if not moves(distribution):
        return own

    def holds(x: Any, parameters: Sequence[Any], by: Any) -> Any:
        moved = [p + by if k == position else p for k, p in enumerate(parameters)]
        low, high = distribution._get_support(*moved)
        return (low < x) & (x < high)

    def room(p: Any, operands: Sequence[Any]) -> Any:
        x, *parameters = np.broadcast_arrays(*operands)
        inside = holds(x, parameters, 0.0)
        found = np.minimum(np.broadcast_to(own(p, operands), inside.shape), 1.0)
        for _ in range(HALVINGS):
            near = inside & ~(holds(x, parameters, found) & holds(x, parameters, -found))
            if not np.any(near):
                break
            found = np.where(near, found / 2, found)
        return found

    return room


def moves(distribution: Any) -> bool:
    """Whether the support depends on parameters."""
    return type(distribution)._get_support is not rv_continuous._get_support


HALVINGS = 50
"""So often a room is halved at most."""


def closed_rules(distribution: Any, name: str, evaluate: Evaluate, operands: Sequence[str]) -> dict[str, Rule]:
    """The rules that follow from other methods."""

    def density(values: Sequence[Any]) -> Any:
        return evaluate(distribution, "_pdf", values)

    if name in DENSITIES:
        sign = DENSITIES[name]
        return {"dx": asking_for(lambda g, *values: sign * g * density(values), operands)}
    if name in LOGARITHMS:
        sign = LOGARITHMS[name]

        def relative(g: Any, *known: Any) -> Any:
            *values, out = known
            return sign * g * exp(evaluate(distribution, "_logpdf", values) - out)

        return {"dx": asking_for(relative, (*operands, "out"))}
    if name in INVERSES:
        of, sign = INVERSES[name]
        return {
            f"d{operand}": asking_for(inverse_rule(distribution, of, sign, position, evaluate), (*operands, "out"))
            for position, operand in enumerate(operands)
        }
    return {}


def inverse_rule(distribution: Any, of: str, sign: int, position: int, evaluate: Evaluate) -> Rule:
    """The rule of a quantile by one operand: of F(x, p) = q it is 1 / f by q, and -F_p / f by p."""

    def rule(g: Any, *known: Any) -> Any:
        (_, *parameters), out = known[:-1], known[-1]
        slope = sign * evaluate(distribution, "_pdf", (out, *parameters))
        if position == 0:
            return g / slope

        def moved(p: Any) -> Any:
            return evaluate(distribution, of, (out, *parameters[: position - 1], p, *parameters[position:]))

        p = parameters[position - 1]
        return -g * jvp(moved, (p,), (np.ones(spec_of(p).shape),))[1] / slope

    return rule
