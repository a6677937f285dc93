"""What is known when the tape is recorded is computed then."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends.passes.memory.sharing import keep_apart
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, rewrite
from autodiff.backends.reference import run_equation
from autodiff.ops.shape import broadcast_to
from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Equation, Literal, Operand, Tape, inner_tapes

SAMPLES = 4
"""So many elements of an array are compared before all of them are."""


def fold_literals(builder: Builder, equation: Equation) -> Operand | None:
    """The number that an operation on numbers gives, by NumPy or by Python's operators as the tape would run it.

    Operations that raise are left for when they run, and so are those that give arrays, run tapes, or have their turn.
    """
    if len(equation.specs) != 1 or equation.specs[0].kind == "array" or equation.specs[0].shape:
        return None
    if not equation.operands or any(isinstance(operand, int) for operand in equation.operands):
        return None
    if inner_tapes(equation) or equation.primitive.ordered:
        return None
    values = [operand.value for operand in equation.operands if isinstance(operand, Literal)]
    with np.errstate(all="ignore"):
        try:
            out = run_equation(equation, values)
        except Exception:
            return None  # it raises again in its place, when the program runs
    return Literal(out) if spec_of(out) == equation.specs[0] else None


def uniform(array: Any) -> Any:
    """The number that all elements of an array are, to the last bit; None where they differ or are no numbers."""
    if type(array) is not np.ndarray or array.size == 0 or array.dtype.kind not in "biufc":
        return None
    flat = array.reshape(-1)
    picked = flat[:: max(1, flat.size // SAMPLES)]
    if picked.tobytes() != picked[:1].tobytes() * picked.size:
        return None
    rows = np.ascontiguousarray(flat).view(np.uint8).reshape(flat.size, -1)
    return flat[0] if bool((rows == rows[0]).all()) else None


def same_bits(one: Any, other: Any) -> bool:
    """Whether two arrays of one dtype and shape have the same elements, to the last bit."""
    flat, others = one.reshape(-1), other.reshape(-1)
    every = max(1, flat.size // SAMPLES)
    if flat[::every].tobytes() != others[::every].tobytes():
        return False
    bits, other_bits = (np.ascontiguousarray(side).view(np.uint8) for side in (flat, others))
    return one is other or bool(np.array_equal(bits, other_bits))


def constants_once(builder: Builder, tape: Tape) -> list[Operand]:
    """What stands for the inputs: for constants of equal elements that number, repeated; for equal ones the first.

    Forward and reverse mode close over the same array, of which the one has a copy if it can be written to.
    """
    now: list[Operand] = list(range(len(tape.inputs)))
    first = len(tape.inputs) - len(tape.constants)
    alike: dict[Any, list[int]] = {}
    for slot, array in enumerate(tape.constants, first):
        value = uniform(array)
        if value is not None and array.dtype.isnative:
            now[slot] = builder.emit(broadcast_to, Literal(value), shape=array.shape)
        elif type(array) is np.ndarray and array.dtype.kind in "biufc":
            others = alike.setdefault((array.dtype, array.shape, array.strides), [])
            found = next((k for k in others if same_bits(tape.constants[k - first], array)), None)
            now[slot] = slot if found is None else found
            others.extend([slot] if found is None else [])
    return now


FOLD: Rules = {"<all>": (fold_literals,)}


def fold_constants(tape: Tape) -> Tape:
    """The tape with operations on numbers evaluated, and constants of equal elements made by repeating a number.

    It can still be differentiated.
    """
    return keep_apart(tape, drop_dead(rewrite(tape, FOLD, prepare=constants_once)))
