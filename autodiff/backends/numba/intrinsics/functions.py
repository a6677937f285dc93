"""Functions of single elements: selection, extremes, mathematics, and SciPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autodiff.backends.language.functions import PLAIN
from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.language.special import CALLS
from autodiff.backends.llvm.foreign import call_special
from autodiff.backends.llvm.mathematics.library import program
from autodiff.backends.llvm.mathematics.llvm import print_program
from autodiff.backends.llvm.mathematics.plain import CODEGEN, Codegen


@functools.cache
def intrinsics() -> dict[str, Callable[..., Any]]:
    """Functions of elements by name, each for float32 and float64; the plain ones for integers and booleans, too."""
    made = plain_intrinsics()
    made |= {name: define(name, arity, mathematics_codegen(name), floats) for name, arity in FUNCTIONS.items()}
    return made | {name: define(name, arity, special_codegen(name), floats) for name, arity in CALLS.items()}


def mathematics_codegen(name: str) -> Codegen:
    """What prints a function of mathematics."""

    def codegen(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        fused = has_fused_multiply_add(context)
        return print_program(builder, program(name, str(signature.return_type), fused), operands, fused)

    return codegen


def has_fused_multiply_add(context: Any) -> bool:
    """Whether the processor that Numba compiles for multiplies and adds with one rounding."""
    triple, _, features = context.codegen().magic_tuple()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))


def special_codegen(name: str) -> Codegen:
    """What prints the call of a function of SciPy's; of float32 it is that of float64, rounded."""

    def codegen(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        if signature.return_type.bitwidth == 64:
            return call_special(builder, name, operands)
        wide = [builder.fpext(operand, ir.DoubleType()) for operand in operands]
        return builder.fptrunc(call_special(builder, name, wide), ir.FloatType())

    return codegen


def plain_intrinsics() -> dict[str, Callable[..., Any]]:
    """What is no mathematics, by name."""
    made: dict[str, Callable[..., Any]] = {"where": _where_intrinsic()}
    for name, (arity, only_floats) in PLAIN.items():
        made[name] = define(name, arity, CODEGEN[name], floats if only_floats else numbers)
    for name, like in (("min", "minimum"), ("max", "maximum")):  # for Python's own, Numba would compile a function
        made[name] = define(name, 2, CODEGEN[like], integers)
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
