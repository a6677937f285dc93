"""Instructions for vectors that some x86 processors have (AVX-512), and LLVM knows no other name for.

Vectors of any length are done in those that the instructions know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WIDEST, NARROWEST = 512, 128  # bits of a vector
CURRENT_ROUNDING = 4


def scaled(builder: Any, x: Any, k: Any) -> Any:
    """x 2^k for whole numbers k: rounded once, also where the result is denormal."""
    return _in_parts(builder, _scale, [x, k])


def repaired(builder: Any, y: Any, x: Any, table: int) -> Any:
    """Y, or what a table has for the class of x.

    Args:
        builder: An `llvmlite.ir.IRBuilder`.
        y: What is right for most x.
        x: What is looked at.
        table: A hexadecimal digit for each class, from the last on: NaN, signalling NaN, zero, one, -infinity,
            infinity, negative, positive. A 0 is y, 2 is x, 3 is NaN, 4 is -infinity, 5 is infinity.
    """
    return _in_parts(builder, lambda builder, y, x: _repair(builder, y, x, table), [y, x])


def _scale(builder: Any, x: Any, k: Any) -> Any:
    return _call(builder, "scalef", x, [k, _constant(x.type, None)])


def _repair(builder: Any, y: Any, x: Any, table: int) -> Any:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    integers = ir.VectorType(ir.IntType(_bits(x)), x.type.count)
    return _call(builder, "fixupimm", y, [x, _constant(integers, table), ir.IntType(32)(0)])


def _call(builder: Any, name: str, x: Any, others: list[Any]) -> Any:
    """An instruction of one vector and others; what all of them have behind their operands is added."""
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    bits, lanes = _bits(x), x.type.count
    rounding = [ir.IntType(32)(CURRENT_ROUNDING)] if bits * lanes == WIDEST else []
    operands = [x, *others, ir.IntType(max(lanes, 8))(-1), *rounding]
    full_name = f"llvm.x86.avx512.mask.{name}.p{'s' if bits == 32 else 'd'}.{bits * lanes}"
    function = builder.module.globals.get(full_name)
    if function is None:
        kind = ir.FunctionType(x.type, [each.type for each in operands])
        function = ir.Function(builder.module, kind, full_name)
    return builder.call(function, operands)


def _in_parts(builder: Any, instruction: Callable[..., Any], operands: list[Any]) -> Any:
    bits, lanes = _bits(operands[0]), operands[0].type.count
    length = max(min(lanes, WIDEST // bits), NARROWEST // bits)
    if lanes > length:
        half = lanes // 2
        parts = [
            _in_parts(builder, instruction, [_lanes(builder, each, first, half) for each in operands])
            for first in (0, half)
        ]
        return _shuffled(builder, parts[0], parts[1], list(range(lanes)))
    if lanes < length:
        return _lanes(builder, instruction(builder, *(_lanes(builder, each, 0, length) for each in operands)), 0, lanes)
    return instruction(builder, *operands)


def _bits(x: Any) -> int:
    return 32 if str(x.type.element) == "float" else 64


def _lanes(builder: Any, x: Any, first: int, count: int) -> Any:
    """So many lanes of a vector; those that it does not have may hold anything."""
    return _shuffled(builder, x, x, [min(lane, x.type.count - 1) for lane in range(first, first + count)])


def _shuffled(builder: Any, x: Any, y: Any, lanes: list[int]) -> Any:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes))


def _constant(type_: Any, number: int | None) -> Any:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    return ir.Constant(type_, ir.Undefined if number is None else [number] * type_.count)
