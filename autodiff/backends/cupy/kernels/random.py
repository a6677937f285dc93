"""Kernels that fill arrays with random numbers.

They are functions of a state of two words of 64 bits, the seed and the number of the next counter, and give the next
state with the numbers: what runs again, as a graph that is replayed, draws new ones if the state that it reads is the
one that it left. Which number an element gets depends on the state and its place alone, not on the device.
"""

from __future__ import annotations

from math import prod

import numpy as np

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.grids import NAME
from autodiff.backends.cupy.kernels.kernel import DeviceFunction, DeviceKernel, Launch, Parameter
from autodiff.backends.cupy.kernels.sharing import SMALL, THREADS
from autodiff.backends.cupy.kernels.writing import Lengths, Unsupported, place_lines, share
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec
from autodiff.trace.tape import Tape

STATE = spec((2,), np.uint64)
"""The seed, and the number of the next counter."""

WORDS = 4
"""Of 32 bits that a counter gives."""

DRAWS = {
    ("bits", "uint32"): ("Bits{}", "uint32", 4),
    ("uniform", "float32"): ("Uniform{}", "float", 4),
    ("uniform", "float64"): ("UniformDouble{}", "double", 2),
    ("normal", "float32"): ("Normal{}", "float", 4),
    ("normal", "float64"): ("NormalDouble{}", "double", 2),
    ("bernoulli", "bool"): ("Bernoulli{static_cast<uint64>(bound_64)}", "bool", 4),
}  # fmt: skip
"""For distributions and dtypes: what makes the numbers, their type, how many a counter gives."""


def random_kernel(distribution: str, shape: Lengths, dtype: np.dtype[np.generic], chance: float = 0.5) -> DeviceKernel:
    """A kernel of the state whose results are random numbers and the next state.

    Args:
        distribution: ``"bits"``; ``"uniform"`` in [0, 1); ``"normal"`` with mean 0 and variance 1; ``"bernoulli"``.
        shape: of the numbers.
        dtype: uint32 for bits, bool for bernoulli, else float32 or float64.
        chance: of True.

    Raises:
        ValueError: if there is no such kernel, or the chance is none.
    """
    found = DRAWS.get((distribution, np.dtype(dtype).name))
    if found is None:
        known = ", ".join(f"{name} of {kind}" for name, kind in DRAWS)
        raise ValueError(f"no kernel draws {distribution} of {np.dtype(dtype).name}{at_user_line()}; there are {known}")
    if not 0 <= chance <= 1:
        raise ValueError(f"a chance is from 0 to 1, not {chance}{at_user_line()}")
    made, kind, each = found
    size = prod(shape)
    counters = -(-size // each)
    entered = (
        (Parameter("state", "input", 0, STATE.dtype), "const uint64* __restrict__"),
        (Parameter("out", "output", 0, np.dtype(dtype)), f"{kind}* __restrict__"),
        (Parameter("next", "output", 1, STATE.dtype), "uint64* __restrict__"),
        (Parameter("size_64", "size", value=size), "const int64"),
        (Parameter("bound_64", "size", value=round(chance * 2.0**32)), "const int64"),
    )
    parameters = tuple(parameter for parameter, _ in entered)
    typed = tuple(f"{own} {parameter.name}" for parameter, own in entered)
    places = place_lines("int32" if size < SMALL else "int64", ("size",))
    function = DeviceFunction(NAME, f"{THREADS}", typed, (*places, f"draw({made}, state, out, next, size);"))
    launch = Launch(NAME, share(counters, 1)[1], THREADS)
    return DeviceKernel((function,), parameters, (launch,), (spec(shape, dtype), STATE))


@prints("random_numbers")
def print_random(*, tape: Tape) -> DeviceKernel:
    """What is drawn from one state."""
    if tape.inputs != (STATE,):
        raise Unsupported("several states at a time")
    return random_kernel(**dict(tape.equations[0].params))
