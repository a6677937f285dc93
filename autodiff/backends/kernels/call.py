"""Kernels on a tape: one operation that stands for all that a kernel does, and how it is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.backends.kernels.forms import COLUMN, COLUMN_TOTAL, FULL, ROW, SCALAR, TOTAL, Grid, Shape
from autodiff.backends.kernels.rows import RowKernel
from autodiff.backends.kernels.scalars import costly
from autodiff.backends.numba.kernels import kernel_address
from autodiff.backends.numba.launching import ArrayArgument, NumberArgument, bind
from autodiff.trace.errors import AutodiffError
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Tape

CHUNK, PARALLEL, RELEASE = 20_000, 30_000, 10_000
"""Nanoseconds of work that make one chunk, that are shared by threads, and during which other Python threads may run."""

NUMBERS = {"float64": "float", "float32": "float32", "int64": "int"}


class KernelPrimitive(Primitive):
    """The primitive of fused operations; its parameters are their tape and what kind of kernel they become."""

    __slots__ = ("made",)

    def __init__(self, name: str, make: Callable[..., Callable[..., Any]]) -> None:
        made: dict[Any, Callable[..., Any]] = {}

        def bound(**params: Any) -> Callable[..., Any]:
            key = tuple(params.items())
            found = made.get(key)
            if found is None:
                found = made[key] = make(**params)
            return found

        super().__init__(
            name,
            "general",
            ("*xs",),
            lambda *xs, **params: bound(**params)(*xs),
            lambda *xs, tape, **params: kernel_specs(tape),
            {},
        )
        self.made = bound


@dataclass(frozen=True)
class Share:
    """How the rows of a grid are shared out, by counting.

    Attributes:
        chunk: so many rows are done at a time.
        parts: chunks.
        work: nanoseconds of one thread for all.
        parallel: whether threads share the chunks.
    """

    chunk: int
    parts: int
    work: float
    parallel: bool


def shared(grid: Grid, tape: Tape) -> Share:
    """How the rows of the grid of a tape are shared out."""
    row = grid.columns * element_cost(tape)
    chunk = max(1, int(CHUNK / row))
    if grid.flat:
        chunk = -(-chunk // 4096) * 4096
    parts = -(-grid.rows // chunk)
    work = grid.rows * row
    return Share(chunk, parts, work, work > PARALLEL and parts > 1)


def kernel_specs(tape: Tape) -> tuple[Spec, ...]:
    return tuple(tape.output_specs)


class RowCall:
    """The kernel of rows of a tape, as a function of arrays.

    Args:
        tape: what it computes.
        shape: of its grid.

    Attributes:
        kernel: what it runs.
        source: the text of the Python function around it.
    """

    def __init__(self, tape: Tape, shape: Shape) -> None:
        self.tape = tape
        self.kernel = kernel = RowKernel(tape, shape)
        grid = kernel.grid
        share = shared(grid, tape)
        self.chunk, self.parts = share.chunk, share.parts
        words = [self.chunk if a.name == "chunk" else a.value for a in kernel.arguments]
        launch = bind(
            kernel_address(kernel.text),
            words,
            [self.argument(k) for k, a in enumerate(kernel.arguments) if a.role != "size"],
            rows=grid.rows,
            chunk=self.chunk,
            parallel=share.parallel,
            release=share.work > RELEASE,
        )
        scope: dict[str, Any] = {"launch": launch, "empty": np.empty, "fitting": fitting, "float32": np.float32}
        self.source = "\n".join(self.lines(scope)) + "\n"
        exec(self.source, scope)
        self.call = scope["call"]

    def argument(self, place: int) -> ArrayArgument | NumberArgument:
        argument = self.kernel.arguments[place]
        if argument.role == "input" and self.kernel.forms[argument.slot] == SCALAR:
            spec = self.kernel.specs[argument.slot]
            if spec.kind != "array":
                return NumberArgument(place, NUMBERS.get(spec.dtype.name, "int"))
        return ArrayArgument(place, argument.dtype, argument.role != "input")

    def lines(self, scope: dict[str, Any]) -> list[str]:
        kernel = self.kernel
        inputs = [a.name for a in kernel.arguments if a.role == "input"]
        own = [a for a in kernel.arguments if a.role in ("output", "partial", "scratch", "status")]
        names = ", ".join((*inputs, *(a.name for a in own)))
        lines = [f"def call({', '.join(inputs)}):"]
        for a in own:
            if a.role == "status":
                scope.update(zeros=np.zeros, int64=np.dtype(np.int64), out_of_range=out_of_range)
                lines.append("    status = zeros(1, int64)")
                continue
            shape = self.shape(a.name, a.slot, a.role)
            scope[f"{a.name}_dtype"] = a.dtype
            lines.append(f"    {a.name} = empty({shape}, {a.name}_dtype)")
        lines.append(f"    if launch({names}) is NotImplemented:")
        scope["specs"] = self.tape.inputs
        for k, name in enumerate(inputs):
            lines.append(f"        {name} = fitting({name}, specs[{k}])")
        lines.append(f"        launch({names})")
        if kernel.checks:
            lines += ["    if status[0]:", "        out_of_range()"]
        outs = ", ".join(self.result(out, scope) for out in self.tape.outputs)
        return [*lines, f"    return ({outs},)"]

    def shape(self, name: str, slot: int, role: str) -> Shape:
        """The shape of an array that the kernel fills."""
        form, grid = self.kernel.forms[slot], self.kernel.grid
        if role == "output":
            return self.kernel.specs[slot].shape
        return (self.parts,) if form == TOTAL else (self.parts, grid.columns)

    def result(self, slot: Any, scope: dict[str, Any]) -> str:
        """What is returned for an output: an array, or parts put together."""
        name, form, spec = f"out{slot}", self.kernel.forms[slot], self.kernel.specs[slot]
        if form in (FULL, ROW, COLUMN):
            return name
        fold = {"max": "max", "min": "min", "prod": "prod", "any": "any", "all": "all"}.get(
            self.kernel.made[slot].primitive.name, "sum"
        )
        scope[f"{name}_type"] = spec.dtype.type
        if form == COLUMN_TOTAL:
            return f"{name}.reshape({spec.shape})" if self.parts == 1 else f"{name}.sum(0).reshape({spec.shape})"
        return f"{name}_type({name}[0])" if self.parts == 1 else f"{name}_type({name}.{fold}())"


class IndexRangeError(AutodiffError, IndexError):
    """An index that a compiled program met is out of range."""


def out_of_range() -> None:
    raise IndexRangeError("an index is out of range for the axis that it picks from")


def fitting(value: Any, spec: Spec) -> Any:
    """A value as kernels take it."""
    if spec.kind == "array":
        return np.ascontiguousarray(value, spec.dtype).reshape(spec.shape)
    if spec.dtype == np.float32:
        return np.float32(value)
    return float(value) if spec.dtype.kind == "f" else int(value)


def element_cost(tape: Tape) -> float:
    """Nanoseconds of one thread for an element, by the count of operations."""
    specs = tape.specs
    cost = 0.1
    for equation in tape.equations:
        operands = [specs[o] if isinstance(o, int) else o.value for o in equation.operands]
        wide = equation.specs[0].dtype.itemsize / 4
        dear = equation.primitive.family == "elementwise" and costly(
            equation.primitive.name, operands, equation.specs[0]
        )
        cost += (0.35 if dear else 0.03) * wide
    return cost


def make_row_call(*, shape: Shape, tape: Tape) -> Callable[..., Any]:
    return RowCall(tape, shape).call


rows = KernelPrimitive("kernel_of_rows", make_row_call)


def row_kernel(tape: Tape, shape: Shape) -> Equation:
    """The operation that stands for a tape on a grid, without operands and results."""
    sources = [equation.source for equation in tape.equations if equation.source]
    params = (("shape", shape), ("tape", tape))
    return Equation(rows, (), params, (), kernel_specs(tape), sources[-1] if sources else "")


__all__ = ["KernelPrimitive", "row_kernel", "rows", "spec_of"]
