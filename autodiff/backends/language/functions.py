"""The functions that kernels may call: what they take, and what they give."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.language.numpy_loops import LOOPS
from autodiff.backends.language.special import CALLS
from autodiff.backends.language.types import CASTS, FLOATS, WORDS, Type

PLAIN: dict[str, tuple[int, bool]] = {
    "sqrt": (1, True), "floor": (1, True), "ceil": (1, True), "trunc": (1, True), "rint": (1, True),
    "absolute": (1, False), "copysign": (2, True), "fmod": (2, True), "fma": (3, True), "maximum": (2, False),
    "minimum": (2, False), "fmax": (2, False), "fmin": (2, False), "reduce_maximum": (2, False),
    "reduce_minimum": (2, False), "reduce_add": (2, False), "reduce_multiply": (2, False),
}  # fmt: skip
"""Functions that are no mathematics: how many operands they take, and whether nothing but floats."""


def called(name: str, types: Sequence[Type]) -> Type | None:
    """The type of what a function gives; None if there is no such function of such operands."""
    if name in WORDS:
        return WORDS[name] if len(types) == 2 and set(types) == {"i8"} else None
    if name == "where":
        return types[1] if len(types) == 3 and types[0] == "b1" and types[1] == types[2] else None
    if name in ("min", "max"):
        return "i8" if list(types) == ["i8", "i8"] else None
    accepted = accepted_by(name, len(types))
    return str(types[0]) if len(set(types)) == 1 and types[0] in accepted else None


def accepted_by(name: str, count: int) -> set[str]:
    """The types of which a function takes so many operands, all of one."""
    if FUNCTIONS.get(name, CALLS.get(name)) == count:
        return FLOATS
    if name in PLAIN and PLAIN[name][0] == count:
        return FLOATS if PLAIN[name][1] else set(CASTS)
    return set()


PROCEDURES = {
    "multiply_matrices": "allallalllll", "gather_panel": "aannl", "turn_panel": "aannl",
    "multiply_panels": "aaannnnlll",
}  # fmt: skip
"""What gives nothing, by its name without the bits of its elements, and what it takes: an address, a number, or a
literal number, which decides what code is printed."""

OTHERS = {"call_out": "nannl", "philox_float64": "nna"}
"""The same of what has no such bits: a call of Python, the words of a random counter."""


def signature(name: str) -> str | None:
    """What a procedure takes, a letter for each operand; None if there is no such procedure."""
    if name in OTHERS:
        return OTHERS[name]
    if name in LOOPS:
        loop = LOOPS[name]
        return "l" * (1 + len(loop.lengths)) + "".join("a" + "l" * (1 + len(axes)) for axes in loop.axes)
    stem, _, bits = name.rpartition("_float")
    return PROCEDURES.get(stem) if bits in ("32", "64") else None
