"""Prints a program as LLVM instructions where it is called: LLVM's loop vectoriser sees plain arithmetic."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.numba.mathematics.language import Instruction, Program, Type

_INTRINSICS = {
    "sqrt": "sqrt",
    "abs": "fabs",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "copysign": "copysign",
}
_FLOAT = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv", "negative": "fneg"}
_INTEGER = {"add": "add", "subtract": "sub", "multiply": "mul", "negative": "neg", "not": "not_"}
_BITWISE = {"and": "and_", "or": "or_", "xor": "xor", "shift_left": "shl", "shift_right": "ashr"}


def print_program(builder: Any, program: Program, operands: Sequence[Any], fused: bool) -> Any:
    """Writes the instructions of a program at the builder's place.

    Args:
        builder: An `llvmlite.ir.IRBuilder`.
        program: What to compute.
        operands: The LLVM values of its parameters.
        fused: Whether the machine has a fused multiply-add.

    Returns:
        The LLVM value of the result.
    """
    values: list[Any] = []
    remaining = iter(operands)
    for instruction in program.instructions:
        if instruction.operation == "parameter":
            values.append(next(remaining))
        else:
            values.append(_print(builder, instruction, [values[index] for index in instruction.operands], fused))
    return values[program.result]


def llvm_type(type_: Type) -> Any:
    """The LLVM type of a type of the language."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    if type_ in ("float32", "float64"):
        return ir.FloatType() if type_ == "float32" else ir.DoubleType()
    return ir.IntType({"int32": 32, "int64": 64, "bool": 1}[type_])


def call_intrinsic(builder: Any, name: str, operands: Sequence[Any], flags: Sequence[str] = ()) -> Any:
    """Calls an intrinsic function of LLVM that has one type for its operands and its result."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    type_ = operands[0].type
    suffix = {ir.FloatType(): "f32", ir.DoubleType(): "f64"}.get(type_) or str(type_)
    full_name = f"llvm.{name}.{suffix}"
    function = builder.module.globals.get(full_name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(type_, [type_] * len(operands)), full_name)
    return builder.call(function, operands, fastmath=flags)


def _print(builder: Any, instruction: Instruction, operands: list[Any], fused: bool) -> Any:
    operation, type_ = instruction.operation, instruction.type
    if operation == "constant":
        return _constant(instruction)
    if operation == "fma":
        return call_intrinsic(builder, "fma" if fused else "fmuladd", operands)
    if operation == "funnel":
        return call_intrinsic(builder, "fshl", operands)
    if operation in _INTRINSICS:
        return call_intrinsic(builder, _INTRINSICS[operation], operands)
    if operation == "where":
        return builder.select(*operands)
    if operation in ("<", "<=", ">", ">=", "==", "!="):
        return _compare(builder, operation, *operands)
    if operation in _BITWISE:
        return getattr(builder, _BITWISE[operation])(*operands)
    if operation in _FLOAT | _INTEGER:
        return getattr(builder, (_FLOAT if type_.startswith("float") else _INTEGER)[operation])(*operands)
    return _CONVERSIONS[operation](builder, operands[0], type_)


def _constant(instruction: Instruction) -> Any:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    number = instruction.number
    if instruction.type == "float32":
        (number,) = struct.unpack("f", struct.pack("f", number))  # LLVM refuses what is no float32
    return ir.Constant(llvm_type(instruction.type), number)


def _compare(builder: Any, operation: str, x: Any, y: Any) -> Any:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    if isinstance(x.type, ir.IntType):
        return builder.icmp_signed(operation, x, y)
    return (builder.fcmp_unordered if operation == "!=" else builder.fcmp_ordered)(operation, x, y)


def _convert(builder: Any, integer: Any, type_: Type) -> Any:
    """An integer below 2^51 in size as a float64 needs no conversion, which not every machine has for vectors."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    if type_ == "float32":
        return builder.sitofp(integer, llvm_type(type_))
    offset = 2.0**52 + 2.0**51
    (offset_bits,) = struct.unpack("q", struct.pack("d", offset))
    moved = builder.bitcast(builder.add(integer, ir.Constant(integer.type, offset_bits)), llvm_type(type_))
    return builder.fsub(moved, ir.Constant(moved.type, offset))


def _widen(builder: Any, value: Any, type_: Type) -> Any:
    return (builder.fpext if type_ == "float64" else builder.sext)(value, llvm_type(type_))


def _narrow(builder: Any, value: Any, type_: Type) -> Any:
    return (builder.fptrunc if type_ == "float32" else builder.trunc)(value, llvm_type(type_))


def _bitcast(builder: Any, value: Any, type_: Type) -> Any:
    return builder.bitcast(value, llvm_type(type_))


_CONVERSIONS: dict[str, Callable[[Any, Any, Type], Any]] = {
    "bits": _bitcast,
    "number": _bitcast,
    "convert": _convert,
    "widen": _widen,
    "narrow": _narrow,
}
