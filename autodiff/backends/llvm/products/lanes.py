"""Arithmetic on vectors, and vectors made of the lanes of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.backends.llvm.products.machine import Machine


class Lanes:
    """Prints vectors at the place of a builder.

    Args:
        builder: An `llvmlite.ir.IRBuilder`.
        machine: For which.
        bits: The size of an element, 32 or 64.
    """

    def __init__(self, builder: Any, machine: Machine, bits: int) -> None:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        self.ir = ir
        self.builder = builder
        self.machine = machine
        self.bits = bits
        self.bytes = bits // 8
        self.lanes = machine.lanes(bits)
        self.element = ir.FloatType() if bits == 32 else ir.DoubleType()
        self.word = ir.IntType(64)

    def vector(self, width: int) -> Any:
        return self.ir.VectorType(self.element, width)

    def zeros(self, width: int) -> Any:
        return self.ir.Constant(self.vector(width), [0.0] * width)

    def multiply_add(self, x: Any, y: Any, z: Any) -> Any:
        """The sum of z and x y, rounded once where the machine can."""
        return self.call("fmuladd", self.suffix(z.type), z.type, [x, y, z])

    def splat(self, number: Any, width: int) -> Any:
        """A number in all lanes."""
        nothing = self.ir.Constant(self.vector(width), self.ir.Undefined)
        first = self.builder.insert_element(nothing, number, self.ir.IntType(32)(0))
        return first if width == 1 else self.shuffled(first, nothing, [0] * width)

    def shuffled(self, x: Any, y: Any, lanes: Sequence[int]) -> Any:
        """A vector of lanes of two, numbered on from the first to the second."""
        places = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), len(lanes)), list(lanes))
        return self.builder.shuffle_vector(x, y, places)

    def joined(self, vectors: Sequence[Any]) -> Any:
        """Vectors of one width, a power of two of them, in a row."""
        vectors = list(vectors)
        while len(vectors) > 1:
            lanes = range(2 * vectors[0].type.count)
            vectors = [self.shuffled(x, y, lanes) for x, y in zip(vectors[::2], vectors[1::2], strict=True)]
        return vectors[0]

    def total(self, values: Sequence[Any]) -> Any:
        """The sum of values, pair by pair."""
        values = list(values)
        while len(values) > 1:
            pairs = [self.builder.fadd(x, y) for x, y in zip(values[::2], values[1::2], strict=False)]
            values = pairs + values[len(pairs) * 2 :]
        return values[0]

    def sums(self, vectors: Sequence[Any]) -> Any:
        """The sum of the lanes of each vector, as a vector; powers of two of vectors and lanes, no more of the former.

        Each step adds the two halves of every group of lanes that belongs to one vector.
        """
        vectors, width = list(vectors), vectors[0].type.count
        group = width
        while group > 1:
            group //= 2
            paired = len(vectors) > 1
            pairs = zip(vectors[::2], vectors[1::2], strict=True) if paired else [(vectors[0], vectors[0])]
            every = range(2 * width) if paired else range(vectors[0].type.count)
            low, high = ([i for i in every if i // group % 2 == half] for half in (0, 1))
            vectors = [self.builder.fadd(self.shuffled(x, y, low), self.shuffled(x, y, high)) for x, y in pairs]
        return vectors[0]

    def suffix(self, type_: Any) -> str:
        return f"v{type_.count}f{self.bits}"

    def call(self, name: str, suffix: str, result: Any, operands: Sequence[Any]) -> Any:
        """Call an intrinsic function of LLVM."""
        full = f"llvm.{name}.{suffix}"
        function = self.builder.module.globals.get(full)
        if function is None:
            kind = self.ir.FunctionType(result, [each.type for each in operands])
            function = self.ir.Function(self.builder.module, kind, full)
        return self.builder.call(function, operands)
