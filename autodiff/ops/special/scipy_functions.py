"""How the rows of special functions are made: by formulas, by differences, as one of several results, as inverses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.ops.on_gpu import bessel
from autodiff.ops.on_gpu import special as gpu
from autodiff.ops.special.partial_derivatives import Room, asking_for, partials, slope
from autodiff.trace.link import Rule
from autodiff.trace.primitive import Primitive, ufunc_dtype
from autodiff.trace.primitive import elementwise as elementwise_of

ON_GPU: dict[Any, Callable[..., Any]] = {
    sp.jv: bessel.jv, sp.yv: bessel.yv, sp.iv: bessel.iv, sp.kv: bessel.kv, sp.ive: bessel.ive, sp.kve: bessel.kve,
    sp._ufuncs._zeta: gpu.named("zeta", ufunc_dtype(sp._ufuncs._zeta)), np.i0: np.i0,
}  # fmt: skip
"""What runs on arrays of CuPy, where it is not CuPy's function of the same name."""

SEVERAL: dict[np.ufunc, tuple[Primitive, ...]] = {}
"""Functions of several results, and the operations that compute these one by one."""


def elementwise(name: str, evaluate: Callable[..., Any], **options: Any) -> Primitive:
    """A function of SciPy, which on arrays of CuPy is CuPy's of that name."""
    if evaluate in ON_GPU:
        options["on_gpu"] = ON_GPU[evaluate]
    elif isinstance(evaluate, np.ufunc):
        options["on_gpu"] = gpu.named(evaluate.__name__, ufunc_dtype(evaluate))
    return elementwise_of(name, evaluate, **options)


def with_partials(name: str, ufunc: np.ufunc, rooms: Mapping[str, Room | None], **closed: Rule) -> Primitive:
    """A function that is differentiated by formulas where there are some, by differences otherwise.

    Args:
        name: its name on a tape.
        ufunc: the function.
        rooms: the operands in their order, and how far each may move for a difference; None of whole numbers, by
            which there is no derivative.
        closed: ``dx=``, ... : the rules of operands for which there is a formula.
    """
    return elementwise(name, ufunc, **rules_of(name, ufunc, rooms, closed))


def of_results(
    name: str, ufunc: np.ufunc, rooms: Mapping[str, Room | None], results: Mapping[str, Mapping[str, Rule]]
) -> tuple[Primitive, ...]:
    """The results of a function that has several, as one operation each.

    Args:
        name: of the function; an operation's name has that of the result behind it.
        ufunc: the function.
        rooms: as above.
        results: for each result its closed rules.
    """
    own = [
        elementwise_of(
            f"{name}_{result}",
            picking(ufunc, output),
            dtype=ufunc_dtype(ufunc),
            on_gpu=gpu.refused(name),
            **rules_of(f"{name}_{result}", ufunc, rooms, closed, output),
        )
        for output, (result, closed) in enumerate(results.items())
    ]
    SEVERAL[ufunc] = tuple(own)
    return tuple(own)


def picking(ufunc: np.ufunc, output: int) -> Callable[..., Any]:
    """A function that computes one of several results."""
    return lambda *operands: ufunc(*operands)[output]


def rules_of(
    name: str,
    ufunc: np.ufunc,
    rooms: Mapping[str, Room | None],
    closed: Mapping[str, Rule],
    output: int | None = None,
) -> dict[str, Any]:
    """The rules of a function's operands: the closed ones, and differences in the places of others."""
    by_difference = [operand for operand, room in rooms.items() if room and f"d{operand}" not in closed]
    partial = partials(name, ufunc, rooms, output) if by_difference else None
    return {
        f"d{operand}": first_order(partial, k) if partial and operand in by_difference else closed.get(f"d{operand}")
        for k, operand in enumerate(rooms)
    }


def first_order(partial: Primitive, position: int) -> Rule:
    """The rule of an operand that is a difference."""
    orders = tuple(int(k == position) for k in range(len(partial.operands)))
    return asking_for(lambda g, *values: g * partial(*values, orders=orders), partial.operands)


def inverse(name: str, ufunc: np.ufunc, operands: str, of: Primitive, solved: str, given: str) -> Primitive:
    """The inverse of a function by one of its operands.

    Where F(u, x) = p, the derivatives of x are 1 / F_x by p and -F_u / F_x by u.

    Args:
        name: its name on a tape.
        ufunc: the inverse.
        operands: its operands, in their order, by the names that they have in ``of``.
        of: the function.
        solved: the operand of ``of`` that is the result.
        given: what the value of ``of`` is called among the operands.
    """
    return elementwise(name, ufunc, **inverse_rules(operands.split(), of, solved, given))


def inverse_rules(operands: Sequence[str], of: Primitive, solved: str, given: str) -> dict[str, Any]:
    """The rules of an inverse, by the names of operands."""

    def known(values: Sequence[Any]) -> dict[str, Any]:
        named = dict(zip((*operands, solved), values, strict=True))
        return {**named, "out": named[given]}

    def rule_of(operand: str) -> Rule | None:
        if operand == given:
            return asking_for(lambda g, *values: g / slope(of, solved, 1.0, known(values)), (*operands, "out"))
        if of.rule(of.operands.index(operand)) is None:
            return None

        def rule(g: Any, *values: Any) -> Any:
            own = known(values)
            return -slope(of, operand, g, own) / slope(of, solved, 1.0, own)

        return asking_for(rule, (*operands, "out"))

    return {f"d{operand}": rule_of(operand) for operand in operands}
