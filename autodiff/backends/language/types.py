"""The types of values in kernels, and those of results: what Numba finds, since texts run there, too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pointer:
    """The address of an array that shares no memory with those of other words of the block."""

    word: int


Type = str | Pointer

# fmt: off
UNSIGNED = "u8"
"""What Numba computes whole numbers without sign in, and nothing else: texts have no name for it."""

SIZES = {"b1": 1, "u1": 1, "i4": 4, "i8": 8, "f4": 4, "f8": 8, UNSIGNED: 8}
"""The types of elements, and their bytes."""

STORED = {
    "bool": "b1", "uint8": "u1", "int32": "i4", "int64": "i8", "uint64": "i8", "float32": "f4", "float64": "f8",
}  # fmt: skip
"""The types of elements by the names of loads and stores; words of random states are moved as signed numbers."""

WORDS = {"word": "i8", "real64": "f8", "real32": "f4"}
"""What reads a word of the block, and as what."""

SIGNED, FLOATS, CASTS = {"i4", "i8"}, {"f4", "f8"}, SIZES.keys() - {UNSIGNED}
BITWISE = {"&", "|", "^"}
WHOLE = {"+", "-", "*"} | BITWISE
LONGEST = {"//", "%", "<<", ">>"}
"""What is computed with signs alone. A number is shifted by 0 to 63 bits; of others nothing is said."""

# fmt: on


def unary(sign: str, operand: Type) -> str | None:
    """The type of ``negative`` or ``not``; None if there is none."""
    if sign == "negative" and operand in FLOATS | SIGNED | {"u1"}:
        return str(operand) if operand in FLOATS else UNSIGNED if operand == "u1" else "i8"
    return "b1" if sign == "not" and operand == "b1" else None


def binary(sign: str, left: Type, right: Type) -> str | None:
    """The type of an operation on two numbers: whole numbers are computed in the longest, of their kind."""
    types = {left, right}
    if types <= FLOATS:
        return ("f8" if "f8" in types else "f4") if sign in {"+", "-", "*", "/"} else None
    if types == {"b1"}:
        return "b1" if sign in BITWISE else None
    if types <= SIGNED | {"u1"} and types & SIGNED:
        return "i8" if sign in WHOLE | LONGEST else None
    return UNSIGNED if types <= {"u1", UNSIGNED} and sign in WHOLE else None


def compared(left: Type, right: Type) -> str | None:
    """The type in which two numbers are compared; None if there is none."""
    types = {left, right}
    if types <= FLOATS:
        return "f8" if "f8" in types else "f4"
    if types <= SIGNED | {"u1"}:
        return "i8"
    return "b1" if types == {"b1"} else None
