"""Intrinsics that are no mathematics: selection, extremes, rounding, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.backends.numba.mathematics.llvm import call_intrinsic, constant

Codegen = Callable[[Any, Any, Any, Any], Any]

# Loops of vectors order their sums by themselves. LLVM may not: it would take common factors out of a sum,
# and of inf * 1 - inf * 0.5 make inf * 0.5.
_SUMMED = ("nsz", "contract")


def plain_intrinsics() -> dict[str, Callable[..., Any]]:
    """The intrinsics of this file, by name."""
    made: dict[str, Callable[..., Any]] = {"where": _where_intrinsic()}
    for name, (arity, codegen, only_floats) in PLAIN.items():
        made[name] = define(name, arity, codegen, floats if only_floats else numbers)
    for name, like in (("min", "minimum"), ("max", "maximum")):  # for Python's own, Numba would compile a function
        made[name] = define(name, 2, PLAIN[like][1], integers)
    return made


def define(name: str, arity: int, codegen: Codegen, accepts: Callable[[Any], bool]) -> Callable[..., Any]:
    """An intrinsic of up to four operands of one type, which is also that of its result."""
    from numba.extending import intrinsic  # noqa: PLC0415 - Numba is optional, and slow to import
    from numba.types import unliteral  # noqa: PLC0415 - Numba is optional, and slow to import

    def typed(*operands: Any) -> Any:
        type_, *others = {unliteral(operand) for operand in operands}
        return None if others or not accepts(type_) else (type_(*(type_,) * arity), codegen)

    def unary(_: Any, x: Any) -> Any:
        return typed(x)

    def binary(_: Any, x: Any, y: Any) -> Any:
        return typed(x, y)

    def ternary(_: Any, x: Any, y: Any, z: Any) -> Any:
        return typed(x, y, z)

    def quaternary(_: Any, x: Any, y: Any, z: Any, w: Any) -> Any:
        return typed(x, y, z, w)

    function = (unary, binary, ternary, quaternary)[arity - 1]
    function.__name__ = function.__qualname__ = name
    made: Callable[..., Any] = intrinsic(function)
    return made


def floats(type_: Any) -> bool:
    """Whether a Numba type is float32 or float64."""
    from numba import types  # noqa: PLC0415 - Numba is optional, and slow to import

    return type_ in (types.float32, types.float64)


def numbers(type_: Any) -> bool:
    """Whether a Numba type is one of those, an integer or a boolean."""
    from numba import types  # noqa: PLC0415 - Numba is optional, and slow to import

    return floats(type_) or isinstance(type_, types.Integer | types.Boolean)


def integers(type_: Any) -> bool:
    """Whether a Numba type is an integer."""
    from numba import types  # noqa: PLC0415 - Numba is optional, and slow to import

    return isinstance(type_, types.Integer)


def _where_intrinsic() -> Callable[..., Any]:
    from numba import types  # noqa: PLC0415 - Numba is optional, and slow to import
    from numba.extending import intrinsic  # noqa: PLC0415 - Numba is optional, and slow to import

    def where(_: Any, condition: Any, x: Any, y: Any) -> Any:
        """X where the condition holds, y elsewhere: a select, both sides are computed."""
        type_, other = types.unliteral(x), types.unliteral(y)
        if types.unliteral(condition) != types.boolean or type_ != other:
            return None
        return type_(types.boolean, type_, type_), lambda _, builder, __, operands: builder.select(*operands)

    made: Callable[..., Any] = intrinsic(where)
    return made


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
PLAIN: dict[str, tuple[int, Codegen, bool]] = {
    # number of operands, how it is printed, whether it takes nothing but floats
    "sqrt":            (1, _llvm("sqrt"),                       True),
    "floor":           (1, _llvm("floor"),                      True),
    "ceil":            (1, _llvm("ceil"),                       True),
    "trunc":           (1, _llvm("trunc"),                      True),
    "rint":            (1, _llvm("rint"),                       True),
    "absolute":        (1, _absolute,                           False),
    "copysign":        (2, _llvm("copysign"),                   True),
    "fmod":            (2, _remainder,                          True),
    "fma":             (3, _llvm("fmuladd"),                    True),
    "maximum":         (2, _extreme(">", propagates=True),      False),
    "minimum":         (2, _extreme("<", propagates=True),      False),
    "fmax":            (2, _extreme(">", propagates=False),     False),
    "fmin":            (2, _extreme("<", propagates=False),     False),
    "reduce_maximum":  (2, _reduced_extreme("maximum", ">"),    False),
    "reduce_minimum":  (2, _reduced_extreme("minimum", "<"),    False),
    "reduce_add":      (2, _reduced("fadd", "add"),             False),
    "reduce_multiply": (2, _reduced("fmul", "mul"),             False),
}
# fmt: on
"""The functions of this file; what prints them takes vectors, too."""
