"""When to compile: what calls have cost so far against what compiling costs. Counted from sizes, without a clock."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from autodiff.backends.passes.fusion.cost import PRODUCTS, equation_work, memory, operand
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape

STRIDES = (2, 3, 5, 7, 13, 31)
"""How many calls under one label there are for one that is looked at closely: at first, then, ..., and from then on.
They are primes, so that the calls in a loop take turns."""

RECORDING = 5e6
"""Nanoseconds that it takes to record a composition."""

COMPILING, OPERATION, FIRST = 150e6, 18e6, 300e6
"""Nanoseconds that it takes to compile one forward and backward: at least, for each operation, and once."""

CALL, OF_OPERATION, OF_BYTE = 30e3, 5e3, 1.0
"""Nanoseconds of one call forward and backward where nothing else is known, of each operation, of each byte made."""

OPERATIONS = 8
"""How many operations of the size of the inputs a composition is taken to have that was not recorded yet."""

LONGEST = 400
"""So many operations are compiled at most."""

SHARE = 0.2
"""Products of matrices are NumPy's either way: of the work so much must be something else."""


def first_estimate(specs: Iterable[Spec]) -> float:
    """What a call costs, by its inputs."""
    return CALL + OPERATIONS * OF_BYTE * sum(prod(s.shape) * s.dtype.itemsize for s in specs)


def estimate(tape: Tape) -> float:
    """What a call costs whose operations are known."""
    return OF_OPERATION * len(tape.equations) + OF_BYTE * memory(tape)


def cost_of_compiling(tape: Tape, first: bool) -> float:
    """What compiling costs.

    Args:
        tape: the composition.
        first: whether nothing was compiled before.
    """
    return COMPILING + OPERATION * len(tape.equations) + FIRST * first


def reason_against(tape: Tape) -> str:
    """Why compiling would not pay, however often it is called; empty if it may."""
    if len(tape.equations) > LONGEST:
        return f"it has {len(tape.equations)} operations"
    specs = tape.specs
    light = heavy = 0.0
    count = 0
    for equation in tape.equations:
        effort = equation_work(equation, [operand(o, specs) for o in equation.operands])
        name = equation.primitive.name
        if name in PRODUCTS or name == "einsum":
            heavy += effort
        elif not equation.primitive.view:
            light += effort
            count += 1
    if count < 2:
        return "there is nothing to fuse"
    return "it is a product of matrices" if light < SHARE * (light + heavy) else ""
