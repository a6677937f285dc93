"""A program as a function that code compiled by Numba calls without the interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.backends.export.code import object_code
from autodiff.backends.export.driver import OUT_OF_RANGE, messages, workspace_size
from autodiff.backends.export.steps import Program
from autodiff.backends.native.loading import ENTRY, load_object
from autodiff.trace.spec import Spec
from autodiff.trace.trees.tree import TreeDef

NUMBERS = {
    "float64": ctypes.c_double, "float32": ctypes.c_float, "int64": ctypes.c_int64, "int32": ctypes.c_int32,
    "uint8": ctypes.c_uint8, "bool": ctypes.c_uint8,
}  # fmt: skip


def numba_function(program: Program, arguments: Sequence[TreeDef], results: TreeDef, paths: Sequence[str]) -> Any:
    """A function of Numba's with the arguments and results of a program.

    Args:
        program: the program.
        arguments: the structures of its arguments: each a leaf, or a tuple of others.
        results: the structure of its result, of the same kind.
        paths: of the leaves of the arguments.
    """
    import numba  # noqa: PLC0415 - an optional extra, slow to import

    scope: dict[str, Any] = {"entry": entry_of(program), "np": np, "LinAlgError": np.linalg.LinAlgError}
    for k, (own, path) in enumerate(zip(program.inputs, paths, strict=True)):
        scope[f"take{k}"] = taker(own, path)
    exec(compile(text_of(program, arguments, results, paths), "<autodiff numba>", "exec"), scope)
    return numba.njit(scope["call"])


def entry_of(program: Program) -> Any:
    """The program's machine code, which stays in this process for good: who calls it knows its address alone."""
    address = load_object(object_code(ENTRY, program, "native")).lasts()
    kinds: list[Any] = [ctypes.c_void_p if own.kind == "array" else NUMBERS[own.dtype.name] for own in program.inputs]
    return ctypes.CFUNCTYPE(ctypes.c_int32, *kinds, *[ctypes.c_void_p] * (len(program.outputs) + 1))(address)


def taker(own: Spec, path: str) -> Callable[[Any], Any]:
    """A function that compiled code hands an argument to: it refuses other types while that is compiled.

    Args:
        own: the spec of the argument.
        path: how texts call it.
    """
    from numba import types  # noqa: PLC0415 - an optional extra, slow to import
    from numba.core.errors import TypingError  # noqa: PLC0415
    from numba.extending import overload  # noqa: PLC0415
    from numba.np.numpy_support import from_dtype  # noqa: PLC0415

    element = from_dtype(own.dtype)
    weaker = (types.Boolean, *(types.Integer,) * (own.dtype.kind != "b"), *(types.Float,) * (own.dtype.kind == "f"))

    def take(value: Any) -> Any:
        return value

    @overload(take, strict=False)  # type: ignore[untyped-decorator]
    def take_typed(value: Any) -> Any:
        if own.kind != "array":
            if not isinstance(value, weaker):
                raise TypingError(f"{path} must be a number of {own.dtype.name}, got {value}")
            return lambda value: element(value)
        if not own.ndim and isinstance(value, weaker):  # Numba makes numbers of such arrays now and then
            return lambda value: np.full(1, value, element)
        if not isinstance(value, types.Array) or (value.dtype, value.ndim) != (element, own.ndim):
            raise TypingError(f"{path} must be an array {own!r}, got {value}")
        if value.layout == "C":
            return lambda value: value
        return lambda value: value.copy()

    return take


def text_of(program: Program, arguments: Sequence[TreeDef], results: TreeDef, paths: Sequence[str]) -> str:
    """The function in Python that Numba compiles: it checks shapes, makes arrays, calls, and looks what is wrong."""
    lines = [f"def call({', '.join(f'arg{k}' for k in range(len(arguments)))}):"]
    given = []
    places = [place for k, own in enumerate(arguments) for place in places_in(own, f"arg{k}")]
    for k, (place, own, path) in enumerate(zip(places, program.inputs, paths, strict=True)):
        lines.append(f"    in{k} = take{k}({place})")
        if own.kind != "array":
            given.append(f"np.uint8(in{k})" if own.dtype == np.bool_ else f"in{k}")
            continue
        given.append(f"in{k}.ctypes")
        if own.ndim:
            told = f"{path} must be {own!r}: the function was made for arrays of this shape alone"
            lines += [f"    if in{k}.shape != {own.shape}:", f"        raise ValueError({told!r})"]
    for k, own in enumerate(program.outputs):
        lines.append(
            f"    out{k} = np.empty({own.shape if own.kind == 'array' else (1,)}, np.{own.dtype.type.__name__})"
        )
        given.append(f"out{k}.ctypes")
    lines.append(f"    work = np.empty({workspace_size(program)}, np.uint8)")
    lines.append(f"    code = entry({', '.join(given)}, work.ctypes)")
    for code, told in enumerate(messages(program)):
        if code:
            error = "IndexError" if code == OUT_OF_RANGE else "LinAlgError"
            lines += [f"    if code == {code}:", f"        raise {error}({told!r})"]
    outs = iter([f"out{k}" if own.kind == "array" else f"out{k}[0]" for k, own in enumerate(program.outputs)])
    return "\n".join([*lines, f"    return {result(results, outs)}"]) + "\n"


def places_in(structure: TreeDef, place: str) -> list[str]:
    """How the leaves of an argument are reached."""
    if structure.kind is not tuple:
        return [place]
    return [leaf for k, child in enumerate(structure.children) for leaf in places_in(child, f"{place}[{k}]")]


def result(structure: TreeDef, leaves: Any) -> str:
    """The expression that builds a result."""
    if structure.kind is not tuple:
        return str(next(leaves))
    return f"({''.join(f'{result(child, leaves)}, ' for child in structure.children)})"
