"""A loop as a function that Numba calls."""

from __future__ import annotations

from typing import Any

from autodiff.backends.language.types import Pointer, Type
from autodiff.backends.llvm.products.machine import Machine, machine_of
from autodiff.backends.llvm.vectors.choice import form_of
from autodiff.backends.llvm.vectors.loops import Printer
from autodiff.backends.llvm.vectors.tree import Plan
from autodiff.backends.numba.intrinsics import memory
from autodiff.backends.numba.intrinsics.functions import has_fused_multiply_add

NUMBA = {"b1": "boolean", "u1": "uint8", "i4": "int32", "i8": "int64", "f4": "float32", "f8": "float64"}


def loop_intrinsic(name: str, plan: Plan, machine: Machine | None) -> Any:
    """The intrinsic ``loop(start, stop, *given)``, which gives the results of a loop.

    Args:
        name: of the function.
        plan: of the loop.
        machine: for which processor; that for which Numba compiles if None.
    """
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    results = [numba_type(plan.given[each]) for each in plan.results]
    result = types.void if not results else results[0] if len(results) == 1 else types.Tuple(results)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        triple, _, features = context.codegen().magic_tuple()
        form = form_of(plan, machine or machine_of(triple, features))
        start, stop, *given = args
        names = dict(zip(plan.given, given, strict=True))
        found = Printer(builder, form, has_fused_multiply_add(context), plan, names).print(start, stop)
        if not found:
            return context.get_dummy_value()
        return found[0] if len(found) == 1 else context.make_tuple(builder, result, found)

    wanted = [types.int64, types.int64, *map(numba_type, plan.given.values())]

    def typed(*operands: Any) -> Any:
        found = [types.unliteral(each) for each in operands]
        return (result(*wanted), generate) if found == wanted else None  # a cast would hide a mistake

    parameters = ", ".join(["start", "stop", *(f"given{k}" for k in range(len(plan.given)))])
    names: dict[str, Any] = {"typed": typed}
    exec(f"def {name}(typing, {parameters}):\n    return typed({parameters})", names)  # intrinsics take no *args
    return intrinsic(names[name])


def numba_type(type_: Type) -> Any:
    """What Numba calls a type."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled

    return memory.array_type()(type_.word) if isinstance(type_, Pointer) else getattr(types, NUMBA[type_])
