"""Operations on elements, on vectors as on single ones, as Numba does them on single ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.language.types import FLOATS, SIGNED
from autodiff.backends.llvm.mathematics.library import program
from autodiff.backends.llvm.mathematics.llvm import print_program
from autodiff.backends.llvm.mathematics.plain import CODEGEN
from autodiff.backends.llvm.vectors.lanes import BITS, Lanes

# fmt: off
FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv", "negative": "fneg"}
WHOLE = {
    "+": "add", "-": "sub", "*": "mul", "negative": "neg", "&": "and_", "|": "or_", "^": "xor", "not": "not_",
    "<<": "shl", ">>": "ashr",
}
COMPARED = {"<", "<=", ">", ">=", "==", "!="}
DTYPES = {"f4": "float32", "f8": "float64"}
# fmt: on


class Operations(Lanes):
    """Prints operations.

    Args:
        builder: an `llvmlite.ir.IRBuilder`.
        count: how many lanes vectors have.
        fused: whether the machine has a fused multiply-add.

    Attributes:
        scales: whether it multiplies vectors by powers of two in one instruction.
        multiplies: whether quotients by what is the same in all rounds are products with its reciprocal.
    """

    def __init__(self, builder: Any, count: int, fused: bool) -> None:
        super().__init__(builder, count)
        self.fused = fused
        self.scales = self.multiplies = False

    def first(self, count: Any) -> Any:
        """A mask of so many lanes, where they can be as the bits of a number."""
        if isinstance(count, int) or not self.scales or not 8 <= self.count <= 32:
            return super().first(count)
        builder = self.builder
        enough = builder.icmp_signed("<", count, self.word(self.count))
        left = builder.select(enough, count, self.word(self.count))
        found = builder.not_(builder.shl(self.word(-1), left))
        return builder.bitcast(builder.trunc(found, self.ir.IntType(self.count)), self.vector(self.ir.IntType(1)))

    def operation(self, name: str, type_: str, given: str, operands: list[Any]) -> Any:
        """An operation.

        Args:
            name: of a function, or a sign.
            type_: of the result.
            given: the type of the last operand.
            operands: single elements or vectors.
        """
        values = self.alike(*operands)
        if name in COMPARED:
            return self.compared(name, given, *values)
        if name == "where":
            return self.builder.select(*values)
        if name in ("//", "%"):
            return self.divided(name, *values)
        if name in FLOAT and type_ in FLOATS:
            return getattr(self.builder, FLOAT[name])(*values)
        if name in WHOLE:
            return getattr(self.builder, WHOLE[name])(*values)
        if name in FUNCTIONS:
            scales = self.scales and self.is_vector(values[0])
            return print_program(self.builder, program(name, DTYPES[type_], self.fused, scales), values, self.fused)
        return self.plain(name, type_, values)

    def plain(self, name: str, type_: str, values: list[Any]) -> Any:
        """A function that is no mathematics."""
        signature = SimpleNamespace(return_type=SimpleNamespace(signed=type_ in SIGNED))
        return CODEGEN[name](None, self.builder, signature, values)

    def compared(self, sign: str, given: str, x: Any, y: Any) -> Any:
        if given in FLOATS:
            return (self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered)(sign, x, y)
        return (self.builder.icmp_signed if given in SIGNED else self.builder.icmp_unsigned)(sign, x, y)

    def divided(self, sign: str, x: Any, y: Any) -> Any:
        """A quotient rounded down, or what it leaves, of the sign of y; both are 0 where y is."""
        builder, zero = self.builder, self.zero(x.type)
        nothing = builder.icmp_signed("==", y, zero)
        least, minus_one = self.filled(x.type, -(1 << 63)), self.filled(x.type, -1)
        wraps = builder.and_(builder.icmp_signed("==", x, least), builder.icmp_signed("==", y, minus_one))
        divisor = builder.select(builder.or_(nothing, wraps), self.filled(x.type, 1), y)
        left = builder.srem(x, divisor)
        below = builder.icmp_signed("<", builder.xor(left, divisor), zero)
        below = builder.and_(below, builder.icmp_signed("!=", left, zero))
        if sign == "%":
            found = builder.select(below, builder.add(left, divisor), left)
        else:
            quotient = builder.sdiv(x, divisor)
            found = builder.select(below, builder.sub(quotient, self.filled(x.type, 1)), quotient)
        return builder.select(nothing, zero, found)

    def zero(self, type_: Any) -> Any:
        element = getattr(type_, "element", type_)
        return self.filled(type_, 0 if isinstance(element, self.ir.IntType) else 0.0)

    def filled(self, type_: Any, number: Any) -> Any:
        """A number in all lanes of a type."""
        if isinstance(type_, self.ir.VectorType):
            return self.repeated(type_, self.ir.Constant(type_.element, number))
        return self.ir.Constant(type_, number)

    def rounded_off(self, value: Any, wanted: str, type_: Any) -> Any:
        """A float as a whole number: short ones by way of longer ones, as processors do, so that -1.5 is 255 in a byte.

        Nothing is said of what LLVM makes of floats that a type does not hold, and of constants it makes anything.
        """
        builder, bits = self.builder, BITS[wanted]
        if bits == 64:
            return (builder.fptosi if wanted in SIGNED else builder.fptoui)(value, type_)
        longer = self.ir.IntType(64 if bits == 32 and wanted not in SIGNED else 32)
        if self.is_vector(value):
            longer = self.ir.VectorType(longer, value.type.count)
        found = builder.fptosi(value, longer)
        return found if longer == type_ else builder.trunc(found, type_)

    def cast(self, value: Any, given: str, wanted: str) -> Any:
        """A value in another type."""
        builder = self.builder
        element = self.element(wanted)
        type_ = self.ir.VectorType(element, value.type.count) if self.is_vector(value) else element
        if wanted == "b1":
            return self.compared("!=", given, value, self.zero(value.type))
        if given in FLOATS and wanted in FLOATS:
            return (builder.fpext if wanted == "f8" else builder.fptrunc)(value, type_)
        if given in FLOATS:
            return self.rounded_off(value, wanted, type_)
        if wanted in FLOATS:
            return (builder.sitofp if given in SIGNED else builder.uitofp)(value, type_)
        if BITS[given] == BITS[wanted]:
            return value
        if BITS[given] > BITS[wanted]:
            return builder.trunc(value, type_)
        return (builder.sext if given in SIGNED else builder.zext)(value, type_)
