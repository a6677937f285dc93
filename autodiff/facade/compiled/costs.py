"""When to compile: what calls have cost so far against what compiling costs. Counted from sizes, without a clock."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

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


def first_estimate(specs: Iterable[Spec]) -> float:
    """What a call costs, by its inputs."""
    return CALL + OPERATIONS * OF_BYTE * sum(prod(s.shape) * s.dtype.itemsize for s in specs)


def cost_of_compiling(tape: Tape) -> float:
    """What compiling costs where something was compiled before."""
    return COMPILING + OPERATION * len(tape.equations)
