"""Functions that are no mathematics: extremes, rounding, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.backends.llvm.mathematics.llvm import call_intrinsic, constant

Codegen = Callable[[Any, Any, Any, Any], Any]

# Loops of vectors order their sums by themselves. LLVM may not: it would take common factors out of a sum,
# and of inf * 1 - inf * 0.5 make inf * 0.5.
_SUMMED = ("nsz", "contract")


def _llvm(name: str) -> Codegen:
    return lambda _, builder, __, operands: call_intrinsic(builder, name, operands)


def _is_float(value: Any) -> bool:
    from llvmlite import ir  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

    return isinstance(getattr(value.type, "element", value.type), ir.FloatType | ir.DoubleType)


def _signed(signature: Any) -> bool:
    return bool(getattr(signature.return_type, "signed", False))


def _compare(builder: Any, signature: Any, sign: str, x: Any, y: Any) -> Any:
    if _is_float(x):
        return builder.fcmp_ordered(sign, x, y)
    return (builder.icmp_signed if _signed(signature) else builder.icmp_unsigned)(sign, x, y)


def _absolute(_: Any, builder: Any, signature: Any, operands: Any) -> Any:
    (x,) = operands
    if _is_float(x):
        return call_intrinsic(builder, "fabs", operands)
    if not _signed(signature):
        return x
    return builder.select(builder.icmp_signed("<", x, constant(x.type, 0)), builder.neg(x), x)


def _remainder(_: Any, builder: Any, __: Any, operands: Any) -> Any:
    """What division by y leaves, with the sign of x: C's own function, element by element."""
    return builder.frem(*operands)


def _extreme(sign: str, propagates: bool) -> Codegen:
    """The larger or smaller operand; of NaN and a number NaN if it propagates, else the number."""

    def codegen(_: Any, builder: Any, signature: Any, operands: Any) -> Any:
        x, y = operands
        chosen = builder.select(_compare(builder, signature, sign, x, y), x, y)
        if not _is_float(x):
            return chosen
        # Where an operand is NaN, `chosen` is y.
        kept, tested = (x, x) if propagates else (x, y)
        return builder.select(builder.fcmp_unordered("uno", tested, tested), kept, chosen)

    return codegen


def _reduced_extreme(name: str, sign: str) -> Codegen:
    def codegen(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        from llvmlite import binding  # noqa: PLC0415 - Numba and llvmlite are optional, and slow to import

        if _is_float(operands[0]) and binding.llvm_version_info >= (17,):  # which knows this reduction
            return call_intrinsic(builder, name, operands, ("nsz",))
        return _extreme(sign, propagates=True)(context, builder, signature, operands)

    return codegen


def _reduced(of_floats: str, of_integers: str) -> Codegen:
    def codegen(_: Any, builder: Any, __: Any, operands: Any) -> Any:
        if _is_float(operands[0]):
            return getattr(builder, of_floats)(*operands, flags=_SUMMED)
        return getattr(builder, of_integers)(*operands)

    return codegen


# fmt: off
CODEGEN: dict[str, Codegen] = {
    "sqrt":           _llvm("sqrt"),
    "floor":          _llvm("floor"),
    "ceil":           _llvm("ceil"),
    "trunc":          _llvm("trunc"),
    "rint":           _llvm("rint"),
    "absolute":       _absolute,
    "copysign":       _llvm("copysign"),
    "fmod":           _remainder,
    "fma":            _llvm("fmuladd"),
    "maximum":        _extreme(">", propagates=True),
    "minimum":        _extreme("<", propagates=True),
    "fmax":           _extreme(">", propagates=False),
    "fmin":           _extreme("<", propagates=False),
    "reduce_maximum": _reduced_extreme("maximum", ">"),
    "reduce_minimum": _reduced_extreme("minimum", "<"),
    "reduce_add":     _reduced("fadd", "add"),
    "reduce_multiply":_reduced("fmul", "mul"),
}
# fmt: on
"""What prints the functions of `language.functions.PLAIN`; it takes vectors, too."""
