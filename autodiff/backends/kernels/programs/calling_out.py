"""Operations without a form in kernels, in the bodies of loops: the kernel calls out for them, and stays a kernel.

The operands are copied to a part of the kernel's memory, ``call_out`` hands its address to a function of Python, which
runs the operation on arrays that lie there, and the results are read from it. Such a call takes a microsecond or two
beside the operation itself, and nothing else in the loop costs more for it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.scope import Scope
from autodiff.backends.kernels.programs.storage import Buffer, Impossible
from autodiff.backends.kernels.scalars import DTYPES
from autodiff.backends.reference import run_equation
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal, Tape, inner_tapes, ordered

KEPT = 256
"""So many operations' arrays are kept, by where their memory is."""

SELDOM: set[str] = set()
"""The names of primitives that have forms in kernels and call out where NumPy would raise an error or warn."""

HOOK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


@dataclass(frozen=True)
class CallOut:
    """An operation that a kernel calls out for.

    Attributes:
        equation: the operation.
        operands: of each the place in the kernel's memory, in bytes, and the spec; literals as they are.
        results: the same.
        seldom: whether that is the exception: where NumPy would raise an error or warn.
    """

    equation: Equation
    operands: tuple[Literal | tuple[int, Spec], ...]
    results: tuple[tuple[int, Spec], ...]
    seldom: bool = False

    def __str__(self) -> str:
        where = f" ({self.equation.source})" if self.equation.source else ""
        return f"{self.equation.primitive.name}{where}"


def can_be_called(equation: Equation) -> bool:
    """Whether a kernel can call out for an operation: what it takes and gives can lie in the memory of kernels."""
    operands = [spec_of(o.value) for o in equation.operands if isinstance(o, Literal)]
    return not ordered(equation) and all(storable(one) for one in (*operands, *equation.specs))


def storable(spec: Spec) -> bool:
    """Whether a value can lie in the memory of kernels."""
    return spec.dtype in DTYPES and 0 not in spec.shape


def without_form(tape: Tape, known: frozenset[str]) -> set[int]:
    """The operations in the bodies of loops, by their identities, whose primitives have no form in kernels.

    Args:
        tape: the program.
        known: the names of primitives that have one, beside those that are elementwise.
    """
    return {
        id(equation)
        for outer in tape.equations
        if outer.primitive.name in ("scan", "while_loop")
        for _, body in inner_tapes(outer)
        for equation in everything(body)
        if equation.primitive.name not in known and equation.primitive.family != "elementwise"
        if can_be_called(equation)
    }


def may_call(tape: Tape) -> bool:
    """Whether an operation of a program has a form in kernels that calls out at times."""
    return any(equation.primitive.name in SELDOM for equation in everything(tape))


def everything(tape: Tape) -> list[Equation]:
    """The operations of a tape and of the tapes that kernels go into."""
    found: list[Equation] = []
    for equation in tape.equations:
        found.append(equation)
        if equation.primitive.name in ("scan", "while_loop", "switch", "checkpoint"):
            found += [inner for _, body in inner_tapes(equation) for inner in everything(body)]
    return found


@dataclass(frozen=True)
class Placed:
    """Operands and results of an operation in one part of the kernel's memory.

    Attributes:
        begin: where the part begins.
        operands: of each the buffer, with its place in bytes; literals as they are.
        results: the same.
    """

    begin: int
    operands: tuple[Literal | tuple[int, Buffer], ...]
    results: tuple[tuple[int, Buffer], ...]

    @property
    def buffers(self) -> list[Buffer]:
        """Those of operands that are no literals."""
        return [one[1] for one in self.operands if not isinstance(one, Literal)]

    @property
    def outs(self) -> list[Buffer]:
        """Those of results."""
        return [buffer for _, buffer in self.results]


def placed(scope: Scope, equation: Equation) -> Placed:
    """Copy the operands of an operation to a part of the kernel's memory, where there is room for its results too."""
    emitter = scope.emitter
    if not all(storable(scope.spec(o)) for o in equation.operands):
        raise Impossible(f"{equation.primitive.name} takes what kernels do not know")
    emitter.flush()
    begin = emitter.memory
    operands: list[Literal | tuple[int, Buffer]] = []
    for operand in equation.operands:
        if isinstance(operand, Literal):
            operands.append(operand)
            continue
        own, place = scope.spec(operand), emitter.memory
        buffer = emitter.allocate(own.shape, own.dtype)
        operands.append((place, buffer))
        scope.copied(buffer, operand)
        emitter.flush()
    results = [(emitter.memory, emitter.allocate(own.shape, own.dtype)) for own in equation.specs]
    return Placed(begin, tuple(operands), tuple(results))


def write_call(scope: Scope, equation: Equation, where: Placed, seldom: bool = False) -> None:
    """Emit the call."""
    emitter = scope.emitter
    operands = tuple(
        one if isinstance(one, Literal) else (one[0], scope.spec(operand))
        for operand, one in zip(equation.operands, where.operands, strict=True)
    )
    results = tuple((place, own) for (place, _), own in zip(where.results, equation.specs, strict=True))
    last, buffer = where.results[-1]
    end = last + prod(buffer.shape) * buffer.dtype.itemsize
    emitter.line(f"call_out(hook, memory, {where.begin}, {end - where.begin}, {len(emitter.called_out)})")
    emitter.called_out.append(CallOut(equation, operands, results, seldom))


def call_out(scope: Scope, equation: Equation) -> None:
    """Emit the call, with the copies of the operands before it."""
    where = placed(scope, equation)
    write_call(scope, equation, where)
    scope.keep(equation, *where.outs)


class Hook:
    """What a kernel calls: runs operations on arrays in its memory.

    An error ends the calls of that run: the kernel is told by the first word of its memory, and whoever has called it
    raises the error.

    Args:
        calls: the operations, in the order of their numbers.
        size: the bytes of the kernel's memory.

    Attributes:
        address: of the function.
        errors: those of runs that are not done, by the address of their memory.
    """

    def __init__(self, calls: Sequence[CallOut], size: int) -> None:
        self.calls, self.size = calls, size
        self.functions = [function_of(call.equation) for call in calls]
        self.arrays: dict[tuple[int, int], tuple[list[Any], list[Any]]] = {}
        self.errors: dict[int, BaseException] = {}
        self.function = HOOK(self.run)
        self.address: int = ctypes.cast(self.function, ctypes.c_void_p).value or 0

    def run(self, memory: int, number: int) -> None:
        """Run an operation on the memory of a kernel."""
        if memory in self.errors:
            return
        try:
            operands, targets = self.arrays.get((memory, number)) or self.arrays_at(memory, number)
            with np.errstate(all="ignore"):
                found = self.functions[number](*map(valued, operands, self.calls[number].operands))
            if len(targets) == 1 and not isinstance(found, tuple):
                targets[0][...] = found
                return
            for target, out in zip(targets, found, strict=True):
                target[...] = out
        except BaseException as error:  # whatever it is, the one who has called the kernel raises it
            self.errors[memory] = told(error, self.calls[number].equation)
            ctypes.c_int64.from_address(memory).value = 1

    def arrays_at(self, memory: int, number: int) -> tuple[list[Any], list[Any]]:
        """The operands and results of an operation as arrays in the memory of a kernel."""
        call = self.calls[number]
        whole = np.ctypeslib.as_array((ctypes.c_uint8 * self.size).from_address(memory))

        def array(place: int, own: Spec) -> Any:
            return whole[place : place + own.size * own.dtype.itemsize].view(own.dtype).reshape(own.shape)

        operands = [one.value if isinstance(one, Literal) else array(*one) for one in call.operands]
        found = operands, [array(*one) for one in call.results]
        if len(self.arrays) >= KEPT:  # memory that is made anew for each run lies in other places
            self.arrays.clear()
        self.arrays[memory, number] = found
        return found

    def raise_error(self, memory: int) -> None:
        """Raise the error of a run, if it had one."""
        error = self.errors.pop(memory, None)
        if error is not None:
            raise error


def function_of(equation: Equation) -> Callable[..., Any]:
    """The results of an operation for plain operands."""
    if equation.specs[0].kind == "python":
        return lambda *operands: run_equation(equation, operands)
    return partial(equation.primitive.evaluate, **dict(equation.params))


def valued(array: Any, operand: Literal | tuple[int, Spec]) -> Any:
    """An operand as the operation takes it: a number where it is one, an array that whoever is called may keep."""
    if isinstance(operand, Literal):
        return array
    if operand[1].kind == "array":
        return array.copy()
    return array.item() if operand[1].kind == "python" else array[()]


def told(error: BaseException, equation: Equation) -> BaseException:
    """The error with the operation and the user's line."""
    if not isinstance(error, Exception) or getattr(error, "names_its_place", False):
        return error
    where = f" ({equation.source})" if equation.source else ""
    try:
        found = type(error)(f"{equation.primitive.name}{where}: {error}")
    except Exception:  # an error class whose constructor wants something else
        return error
    found.names_its_place = True  # type: ignore[attr-defined] # it stands in one of many operations
    return found
