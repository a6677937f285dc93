"""What operations do to memory: which results are new arrays, what others show, and where results may be written.

Nothing is assumed of an operation that is not known: its results may show any operand, and it may keep its operands for
good, as a rule of the user's own may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.backends.into import INTO
from autodiff.backends.kernels.primitive import KernelPrimitive
from autodiff.backends.kernels.rows.call import rows
from autodiff.backends.kernels.rows.memory import RowMemory, row_kernel_of
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, inner_tapes, operand_specs

OUR_OPERATIONS = ("autodiff.ops.", "numpy", "scipy.", "_operator")
"""Modules whose functions keep no operand once they have returned."""


@dataclass(frozen=True)
class Effects:
    """What one operation does to memory.

    Attributes:
        takes: for each result whether it can be written to memory that is given.
        needs: whether it must be given memory for them.
        shows: positions of operands whose memory the results may show.
        keeps: whether it may keep its operands.
        over: for each result the positions of operands in whose memory it may be written while they are read.
        elementwise: whether this holds for any memory; otherwise the caller must say which operand it is, so that
            the kernel is printed for it.
        working: memory that it needs besides.
        status: memory that must be zero at first, and is left so.
    """

    takes: tuple[bool, ...]
    needs: bool = False
    shows: tuple[int, ...] = ()
    keeps: bool = False
    over: tuple[tuple[int, ...], ...] = ()
    elementwise: bool = True
    working: tuple[Spec, ...] = ()
    status: tuple[Spec, ...] = ()


def effects(equation: Equation, known: Sequence[Spec]) -> Effects:
    """What an operation does to memory.

    Args:
        equation: the operation.
        known: the specs of the slots.
    """
    primitive, nothing = equation.primitive, (False,) * len(equation.results)
    operands = operand_specs(equation.operands, known)
    every = tuple(k for k, operand in enumerate(equation.operands) if isinstance(operand, int))
    if primitive is rows:
        return of_rows(equation)
    if primitive.view:
        return Effects(nothing, shows=every[:1])
    if inner_tapes(equation) and not isinstance(primitive, KernelPrimitive):
        return Effects(nothing, shows=every, keeps=not hasattr(primitive, "compiled") or runs_foreign_code(equation))
    if not is_ours(primitive):
        return Effects(nothing, shows=every, keeps=True)
    shows = () if makes_new(equation, operands) else every
    if len(equation.results) > 1 or not is_array(equation.specs[0]):
        return Effects(nothing, shows=shows)
    if isinstance(primitive.evaluate, np.ufunc) and not equation.params:
        return of_ufunc(equation, operands)
    into = INTO.get(primitive.name)
    if into is not None and into.fits(equation, operands):
        return Effects((True,))
    return Effects(nothing, shows=shows)


def makes_new(equation: Equation, operands: Sequence[Spec]) -> bool:
    """Whether the results of one of the library's operations are sure to be new arrays, or numbers."""
    primitive = equation.primitive
    if primitive.name == "gather":  # a number is an index as a slice is
        return operands[1].ndim > 0
    sure = isinstance(primitive, KernelPrimitive) or isinstance(primitive.evaluate, np.ufunc)
    return sure or primitive.facts.new or primitive.name in INTO or all(own.kind != "array" for own in equation.specs)


def of_ufunc(equation: Equation, operands: Sequence[Spec]) -> Effects:
    """A function of NumPy's on single elements reads each of them before it writes the result in its place."""
    evaluate: Any = equation.primitive.evaluate
    out = equation.specs[0]
    if evaluate.signature is not None:
        return Effects((True,))
    places = enumerate(zip(equation.operands, operands, strict=True))
    over = tuple(k for k, (operand, own) in places if isinstance(operand, int) and own == out)
    return Effects((True,), over=(over,))


def of_rows(equation: Equation) -> Effects:
    """A kernel of rows fills what it is given; a result may lie in an input's memory where the kernel is printed so."""
    from autodiff.backends.kernels.rows.in_place import replaceable  # noqa: PLC0415 - it reads texts, which takes a parser

    params = dict(equation.params)
    kernel = row_kernel_of(params["tape"], params["shape"])
    memory = RowMemory(kernel)
    possible = replaceable(kernel)
    over = tuple(possible.get(slot, ()) for slot in params["tape"].outputs)
    takes = tuple(slot in memory.results for slot in params["tape"].outputs)
    return Effects(takes, True, (), False, over, False, memory.working, memory.status)


def runs_foreign_code(equation: Equation) -> bool:
    """Whether the bodies of a loop or branch do what is not known."""
    bodies = [body for _, body in inner_tapes(equation)]
    return any(effects(inner, body.specs).keeps for body in bodies for inner in body.equations)


def is_ours(primitive: Primitive) -> bool:
    """Whether an operation is one of the library's own on arrays, or NumPy's."""
    evaluate = primitive.evaluate
    if isinstance(evaluate, np.ufunc) or isinstance(primitive, KernelPrimitive):
        return True
    return (getattr(evaluate, "__module__", "") or "").startswith(OUR_OPERATIONS)


def is_array(own: Spec) -> bool:
    """Whether it is an array with elements in memory that can be given."""
    return own.kind == "array" and own.ndim > 0 and own.size > 0 and not own.dtype.hasobject
