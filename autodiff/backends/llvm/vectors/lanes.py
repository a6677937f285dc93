"""Vectors of elements, masks, and vectors made of the lanes of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.backends.llvm.mathematics.llvm import constant

BITS = {"b1": 1, "u1": 8, "i4": 32, "i8": 64, "u8": 64}


class Lanes:
    """Prints vectors at the place of a builder; vectors of one lane are plain values.

    Args:
        builder: an `llvmlite.ir.IRBuilder`.
        count: how many lanes vectors have.
    """

    def __init__(self, builder: Any, count: int) -> None:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        self.ir, self.builder, self.count = ir, builder, count
        self.word = ir.IntType(64)

    def element(self, type_: str) -> Any:
        """The LLVM type of an element."""
        if type_ in BITS:
            return self.ir.IntType(BITS[type_])
        return self.ir.FloatType() if type_ == "f4" else self.ir.DoubleType()

    def vector(self, element: Any) -> Any:
        return element if self.count == 1 else self.ir.VectorType(element, self.count)

    def is_vector(self, value: Any) -> bool:
        return isinstance(value.type, self.ir.VectorType)

    def wide(self, value: Any) -> Any:
        """A value in all lanes."""
        if self.count == 1 or self.is_vector(value):
            return value
        type_ = self.vector(value.type)
        if isinstance(value, self.ir.Constant):
            return self.repeated(type_, value)
        nothing = self.ir.Constant(type_, self.ir.Undefined)
        first = self.builder.insert_element(nothing, value, self.ir.IntType(32)(0))
        return self.shuffled(first, [0] * self.count)

    def repeated(self, type_: Any, value: Any) -> Any:
        """A constant in all lanes."""
        return constant(type_, getattr(value, "constant", value))

    def alike(self, *values: Any) -> list[Any]:
        """The values as vectors if one of them is."""
        return [self.wide(each) for each in values] if any(map(self.is_vector, values)) else list(values)

    def numbers(self, element: Any, values: Sequence[Any]) -> Any:
        """A constant with a number for each lane."""
        return element(values[0]) if self.count == 1 else self.ir.Constant(self.vector(element), list(values))

    def shuffled(self, x: Any, lanes: Sequence[int]) -> Any:
        """A vector of lanes of another."""
        nothing = self.ir.Constant(x.type, self.ir.Undefined)
        places = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), len(lanes)), list(lanes))
        return self.builder.shuffle_vector(x, nothing, places)

    def first(self, count: Any) -> Any:
        """A mask of so many lanes; all of them if there are fewer."""
        return self.below(count, range(self.count))

    def below(self, count: Any, places: Sequence[int]) -> Any:
        """A mask of as many lanes as there are places: of those whose place is one of the first so many.

        Args:
            count: how many there are; with more than there are lanes it is as many as there are lanes.
            places: for each lane of the mask.
        """
        kinds = [self.ir.VectorType(element, len(places)) for element in (self.ir.IntType(1), self.ir.IntType(32))]
        if isinstance(count, int):
            return self.ir.Constant(kinds[0], [int(place < min(count, self.count)) for place in places])
        short = self.ir.IntType(32)
        enough = self.builder.icmp_signed("<", count, self.word(self.count))
        count = self.builder.trunc(self.builder.select(enough, count, self.word(self.count)), short)
        nothing = self.ir.Constant(kinds[1], self.ir.Undefined)
        everywhere = self.shuffled(self.builder.insert_element(nothing, count, short(0)), [0] * len(places))
        return self.builder.icmp_signed("<", self.ir.Constant(kinds[1], list(places)), everywhere)

    def call(self, name: str, result: Any, operands: Sequence[Any]) -> Any:
        """Call an intrinsic function of LLVM."""
        function = self.builder.module.globals.get(name)
        if function is None:
            kind = self.ir.FunctionType(result, [each.type for each in operands])
            function = self.ir.Function(self.builder.module, kind, name)
        return self.builder.call(function, operands)

    def suffix(self, type_: Any) -> str:
        """How LLVM names the functions for a type."""
        if isinstance(type_, self.ir.VectorType):
            return f"v{type_.count}{self.suffix(type_.element)}"
        if isinstance(type_, self.ir.IntType):
            return str(type_)
        return "f32" if isinstance(type_, self.ir.FloatType) else "f64"
