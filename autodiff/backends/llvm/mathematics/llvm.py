"""Prints a program as LLVM instructions where it is called: LLVM's loop vectoriser sees plain arithmetic.

Operands that are vectors give a vector.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.llvm.mathematics.instructions import repaired, scaled
from autodiff.backends.llvm.mathematics.language import Instruction, Program, Type

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
    lanes = getattr(operands[0].type, "count", 0)
    remaining = iter(operands)
    for instruction in program.instructions:
        if instruction.operation == "parameter":
            values.append(next(remaining))
        elif instruction.operation == "constant":
            values.append(_constant(instruction, lanes))
        else:
            values.append(_print(builder, instruction, [values[index] for index in instruction.operands], fused))
    return values[program.result]


def llvm_type(type_: Type, lanes: int = 0) -> Any:
    """The LLVM type of a type of the language, or of a vector of so many lanes."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    if type_ in ("float32", "float64"):
        element = ir.FloatType() if type_ == "float32" else ir.DoubleType()
    else:
        element = ir.IntType({"int32": 32, "int64": 64, "bool": 1}[type_])
    return ir.VectorType(element, lanes) if lanes else element


def type_like(value: Any, type_: Type) -> Any:
    """The LLVM type of a type of the language, for as many lanes as a value has."""
    return llvm_type(type_, getattr(value.type, "count", 0))


def constant(type_: Any, number: Any) -> Any:
    """A number of an LLVM type, in every lane of a vector."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    key = str(type_), repr(number)  # equal numbers may differ: 0.0 and -0.0
    found = _constants.get(key)
    if found is None:
        if len(_constants) >= MOST:
            _constants.clear()
        lanes = [number] * type_.count if isinstance(type_, ir.VectorType) else number
        found = _constants[key] = ir.Constant(type_, lanes)
    return found


MOST = 4096
_constants: dict[tuple[str, str], Any] = {}
"""So many constants of those that were made last: the same ones come again in every kernel."""


def call_intrinsic(builder: Any, name: str, operands: Sequence[Any], flags: Sequence[str] = ()) -> Any:
    """Calls an intrinsic function of LLVM that has one type for its operands and its result."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    type_ = operands[0].type
    element = getattr(type_, "element", type_)
    suffix = {ir.FloatType(): "f32", ir.DoubleType(): "f64"}.get(element) or str(element)
    lanes = f"v{type_.count}" if isinstance(type_, ir.VectorType) else ""
    full_name = f"llvm.{name}.{lanes}{suffix}"
    function = builder.module.globals.get(full_name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(type_, [type_] * len(operands)), full_name)
    return builder.call(function, operands, fastmath=flags)


def _print(builder: Any, instruction: Instruction, operands: list[Any], fused: bool) -> Any:
    operation, type_ = instruction.operation, instruction.type
    if operation == "fma":
        return call_intrinsic(builder, "fma" if fused else "fmuladd", operands)
    if operation == "scaled":
        return scaled(builder, *operands)
    if operation == "repaired":
        y, x = operands
        return repaired(builder, y, x, int(instruction.number or 0))
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


def _constant(instruction: Instruction, lanes: int) -> Any:
    number = instruction.number
    if instruction.type == "float32":
        (number,) = struct.unpack("f", struct.pack("f", number))  # LLVM refuses what is no float32
    return constant(llvm_type(instruction.type, lanes), number)


def _compare(builder: Any, operation: str, x: Any, y: Any) -> Any:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    if isinstance(getattr(x.type, "element", x.type), ir.IntType):
        return builder.icmp_signed(operation, x, y)
    return (builder.fcmp_unordered if operation == "!=" else builder.fcmp_ordered)(operation, x, y)


def _convert(builder: Any, integer: Any, type_: Type) -> Any:
    """An integer below 2^51 in size as a float64 needs no conversion, which not every machine has for vectors."""
    wanted = type_like(integer, type_)
    if type_ == "float32":
        return builder.sitofp(integer, wanted)
    offset = 2.0**52 + 2.0**51
    (offset_bits,) = struct.unpack("q", struct.pack("d", offset))
    moved = builder.bitcast(builder.add(integer, constant(integer.type, offset_bits)), wanted)
    return builder.fsub(moved, constant(wanted, offset))


def _widen(builder: Any, value: Any, type_: Type) -> Any:
    return (builder.fpext if type_ == "float64" else builder.sext)(value, type_like(value, type_))


def _narrow(builder: Any, value: Any, type_: Type) -> Any:
    return (builder.fptrunc if type_ == "float32" else builder.trunc)(value, type_like(value, type_))


def _bitcast(builder: Any, value: Any, type_: Type) -> Any:
    return builder.bitcast(value, type_like(value, type_))


_CONVERSIONS: dict[str, Callable[[Any, Any, Type], Any]] = {
    "bits": _bitcast,
    "number": _bitcast,
    "convert": _convert,
    "widen": _widen,
    "narrow": _narrow,
}
