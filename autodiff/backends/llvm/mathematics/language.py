"""A tiny typed language of straight-line arithmetic, in which the functions of this folder are written.

A source is text in Python's syntax: functions of assignments and one return, without loops and without branches. It is
parsed once and *lowered* (`lowering.py`), for given types of the operands, to a `Program`: a list of instructions on
numbered values, each with a type, calls written out. Printers turn a program into code (`llvm.py`).

What a source may contain:

====================================  ================================================================================
``+ - * /``, ``< <= > >= == !=``      of two floats; comparisons with NaN are false, except ``!=``
``+ - * & | ^ << >>``                 of two integers; ``>>`` keeps the sign
``& | ~``                             of booleans
``fma(x, y, z)``                      x y + z, rounded once where the machine can
``sqrt abs floor ceil trunc rint``    of a float
``copysign(x, y)``, ``where(c, x, y)``
``bits(x)``, ``number(i)``            the bits of a float as an integer of its width, and back
``convert(i)``                        an integer as a float of its width
``widen(x)``, ``narrow(x)``           float32 and int32 to float64 and int64, and back
``polynomial(x, TABLE)``              lowest power first; pairs of terms by Horner's rule in x^2: a chain half as long
``choose(c, TABLE, TABLE)``           the first table where c holds, the second elsewhere
``window(TABLE, i, count)``           the numbers of a table from i on, by selections on the bits of i: loads at
                                      computed places would keep loops from becoming vector code
``funnel(x, y, n)``                   the upper half of the bits of x and y together, moved n to the left
``if single:``, ``if fused:``         decided when lowering: the operands have 32 bits; the machine has a fused
                                      multiply-add
``if scales:``                        vectors are printed, and the machine has these (`instructions.py`):
``scaled(x, k)``                      2^k x
``repaired(y, x, TABLE)``             y, or what a table has for the class of x: zero, infinity, NaN, ...
``f(x)``, ``a, b = f(x)``             another function of the library
``NAME``                              a constant of the library, of the width of the operands
====================================  ================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Type = Literal["float32", "float64", "int32", "int64", "bool"]
Number = float | int
Constant = Number | tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class ByWidth:
    """A constant that differs between the two widths."""

    single: Constant
    double: Constant


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation on earlier values; `number` is that of a constant."""

    operation: str
    type: Type
    operands: tuple[int, ...] = ()
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions in order, the first of which are the parameters, and the number of the result."""

    instructions: tuple[Instruction, ...]
    result: int
