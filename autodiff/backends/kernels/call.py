"""Kernels on a tape: one operation that stands for all that a kernel does, and how it is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from autodiff.backends import checked
from autodiff.backends.kernels.folds import fold_of
from autodiff.backends.kernels.forms import TOTAL, Shape
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, NumberArgument
from autodiff.backends.kernels.partition import element_cost, shared
from autodiff.backends.kernels.rows.memory import RowMemory, Shared, row_kernel_of, row_memory
from autodiff.backends.recent import Recent
from autodiff.backends.reference import run_tape
from autodiff.backends.verifier.launch import UnprovedKernelError, UnprovedKernelWarning
from autodiff.trace.errors import AutodiffError, described
from autodiff.trace.facts import ADDED, ALL, ANY, LARGEST, MULTIPLIED, SMALLEST, Fold
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Tape

LIMIT = 64
"""So many kernels of each kind are kept although no program uses them."""

RELEASE = 10_000
"""Nanoseconds of work during which other Python threads may run."""

NUMBERS = {"float64": "float", "float32": "float32", "int64": "int"}

METHODS = {ADDED: "sum", MULTIPLIED: "prod", LARGEST: "max", SMALLEST: "min", ANY: "any", ALL: "all"}
"""The methods of arrays that put parts of totals together."""


class KernelPrimitive(Primitive):
    """The primitive of fused operations; its parameters are their tape and what kind of kernel they become.

    Args:
        name: of the primitive.
        make: gives the function that runs a kernel, for the parameters.
        run: runs one by itself, where that takes more than the function.
        told: what the function tells of besides, such as the user's lines, which are no part of a tape's structure.
        otherwise: gives the function that does the same by NumPy, for the parameters.
    """

    __slots__ = ("made",)

    def __init__(
        self,
        name: str,
        make: Callable[..., Callable[..., Any]],
        run: Callable[..., Any] | None = None,
        told: Callable[..., Hashable] = lambda **_: None,
        otherwise: Callable[..., Callable[..., Any]] | None = None,
    ) -> None:
        made: Recent[Callable[..., Any]] = Recent(LIMIT)

        def bound(**params: Any) -> Callable[..., Any]:
            key = *params.items(), told(**params), checked.CHECKED
            found = made.get(key)
            return made.put(key, proved_or_plain(make, otherwise or plain, params)) if found is None else found

        super().__init__(
            name,
            "general",
            ("*xs",),
            run or (lambda *xs, **params: bound(**params)(*xs)),
            lambda *xs, tape, **params: kernel_specs(tape),
            {},
            params=None,
        )
        self.made = bound


def proved_or_plain(
    make: Callable[..., Callable[..., Any]], otherwise: Callable[..., Callable[..., Any]], params: dict[str, Any]
) -> Callable[..., Any]:
    """The function of a kernel; of one that might leave its memory, a function that runs the operations by NumPy."""
    try:
        return make(**params)
    except UnprovedKernelError as error:
        warnings.warn(
            "a part of a program runs as NumPy, since it could not be proved that its kernel stays within its memory; "
            f"please report this:\n{error}",
            UnprovedKernelWarning,
            stacklevel=2,
        )
    return otherwise(**params)


def plain(*, tape: Tape, **_: Any) -> Callable[..., Any]:
    """The operations of a kernel by NumPy: its results are in memory of their own, too."""

    def run(*xs: Any) -> tuple[Any, ...]:
        return tuple(np.array(out) if isinstance(out, np.ndarray) else out for out in run_tape(tape, xs))

    return run


def kernel_specs(tape: Tape) -> tuple[Spec, ...]:
    return tuple(tape.output_specs)


class RowCall:
    """The kernel of rows of a tape, as a function of arrays.

    The function takes the inputs, then the arrays that it fills (see :class:`RowMemory`): it makes none itself.

    Args:
        tape: what it computes.
        shape: of its grid.
        shared: pairs of an output and the input in whose memory it lies.

    Attributes:
        kernel: what it runs.
        source: the text of the Python function around it.
    """

    def __init__(self, tape: Tape, shape: Shape, shared: Shared = ()) -> None:
        self.tape = tape
        self.kernel = kernel = row_kernel_of(tape, shape, shared)
        self.memory = RowMemory(kernel)
        share = self.memory.share
        words = [share.chunk if a.name == "chunk" else a.value for a in kernel.arguments]
        self.kernel_launch = KernelLaunch(
            kernel.text,
            words,
            [self.argument(k) for k, a in enumerate(kernel.arguments) if a.role != "size"],
            rows=kernel.grid.rows,
            chunk=share.chunk,
            parallel=share.parallel,
            release=share.work > RELEASE,
            name="a kernel of rows",
        )
        launch = self.kernel_launch.bound()
        scope: dict[str, Any] = {"launch": launch, "fitting": fitting, "refuse": refuse, "specs": tape.inputs}
        self.source = "\n".join(self.lines(scope)) + "\n"
        exec(self.source, scope)
        self.call: Callable[..., Any] = scope["call"]

    def argument(self, place: int) -> ArrayArgument | NumberArgument:
        argument = self.kernel.arguments[place]
        if argument.role == "input" and self.kernel.is_number(argument.slot):
            spec = self.kernel.specs[argument.slot]
            if spec.kind != "array":
                return NumberArgument(place, NUMBERS.get(spec.dtype.name, "int"))
        written = argument.role != "input" or argument.slot in self.kernel.shared.values()
        if argument.role == "input":
            return ArrayArgument(place, argument.dtype, written, self.kernel.specs[argument.slot].shape)
        size = self.memory.size(argument)
        return ArrayArgument(place, argument.dtype, written, size=size, met=argument.role == "status")

    def lines(self, scope: dict[str, Any]) -> list[str]:
        memory = self.memory
        inputs = [a.name for a in self.kernel.arguments if a.role == "input"]
        names = ", ".join(memory.name(a) for a in self.kernel.arguments if a.role != "size")
        lines = [f"def call({', '.join((*inputs, *memory.names))}):"]
        lines.append(f"    if launch({names}) is NotImplemented:")
        for k, name in enumerate(inputs):
            lines.append(f"        {name} = fitting({name}, specs[{k}])")
        lines += [f"        if launch({names}) is NotImplemented:", f"            refuse({', '.join(inputs)})"]
        if self.kernel.checks:
            scope["out_of_range"] = out_of_range
            lines += ["    if status[0]:", "        status[0] = 0", "        out_of_range()"]
        results = [self.result(out, scope, lines) for out in self.tape.outputs]
        return [*lines, f"    return ({', '.join(results)},)"]

    def result(self, slot: Any, scope: dict[str, Any], lines: list[str]) -> str:
        """What is returned for an output: an array, or parts put together."""
        name, form, spec = f"out{slot}", self.kernel.forms[slot], self.kernel.specs[slot]
        if slot in self.kernel.shared:
            return f"in{self.kernel.shared[slot]}"
        if form != TOTAL:
            if slot in self.memory.parts:
                scope.update({"add": np.add.reduce, f"{name}_dtype": spec.dtype})
                lines.append(f"    add(part{slot}, 0, {name}_dtype, {name}.reshape(-1))")
            return name
        scope[f"{name}_type"] = spec.dtype.type
        found = f"part{slot}[0]" if self.memory.share.parts == 1 else f"part{slot}.{METHODS[self.fold_of(slot)]}()"
        return f"{name}_type({found})"

    def fold_of(self, slot: int) -> Fold:
        """How the parts of a total are put together."""
        return fold_of(self.kernel.made[slot])


class IndexRangeError(AutodiffError, IndexError):
    """An index that a compiled program met is out of range."""


def out_of_range() -> None:
    raise IndexRangeError("an index is out of range for the axis that it picks from")


def refuse(*values: Any) -> None:
    """A call whose arguments are not what the program was recorded for, although they were brought to that."""
    raise TypeError(f"a kernel cannot take {', '.join(map(described, values))}")


def fitting(value: Any, spec: Spec) -> Any:
    """A value as kernels take it."""
    if spec.kind == "array":
        if type(value) is np.ndarray and value.dtype is spec.dtype and value.shape == spec.shape:
            flags = value.flags  # the usual way here is an array that lies in another order
            return value if flags.c_contiguous and flags.aligned else value.copy()
        found = np.require(value, spec.dtype, ("C", "A")).view(np.ndarray)
        if found.size != spec.size:
            raise ValueError(
                f"an array has the shape {found.shape} where the program was recorded for {spec.shape}: shapes must "
                "not depend on values, as that of the residuals of lstsq does on the rank"
            )
        return found.reshape(spec.shape)
    if spec.dtype == np.float32:
        return np.float32(value)
    return float(value) if spec.dtype.kind == "f" else int(value)


def make_row_call(*, shape: Shape, tape: Tape, shared: Shared = ()) -> Callable[..., Any]:
    return RowCall(tape, shape, shared).call


def run_alone(*xs: Any, shape: Shape, tape: Tape) -> tuple[Any, ...]:
    """The results of a kernel of rows in memory of their own."""
    memory = row_memory(tape, shape)
    own = [np.zeros(s.shape, s.dtype) for s in (*memory.results.values(), *memory.working, *memory.status)]
    found: tuple[Any, ...] = rows.made(shape=shape, tape=tape)(*xs, *own)
    return found


def plain_rows(*, shape: Shape, tape: Tape, shared: Shared = ()) -> Callable[..., Any]:
    """The operations of a kernel of rows by NumPy: results are written to the arrays that it is handed for them."""
    own = plain(tape=tape)
    handed = [tape.outputs.index(slot) for slot in row_memory(tape, shape, shared).results]

    def run(*xs: Any) -> tuple[Any, ...]:
        inputs, memory = xs[: len(tape.inputs)], xs[len(tape.inputs) :]
        outs = list(own(*inputs))
        for place, given in zip(handed, memory, strict=False):  # memory to work in comes after them
            given[...] = outs[place]
            outs[place] = given
        return tuple(outs)

    return run


rows = KernelPrimitive("kernel_of_rows", make_row_call, run_alone, otherwise=plain_rows)


def row_kernel(tape: Tape, shape: Shape) -> Equation:
    """The operation that stands for a tape on a grid, without operands and results."""
    sources = [equation.source for equation in tape.equations if equation.source]
    params = (("shape", shape), ("tape", tape))
    return Equation(rows, (), params, (), kernel_specs(tape), sources[-1] if sources else "")


__all__ = ["KernelPrimitive", "element_cost", "row_kernel", "rows", "shared", "spec_of"]
