"""Which programs can be replayed as a CUDA graph, and for which that is worth it: by counting, never by a clock."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

import numpy as np

from autodiff.backends.cupy.kernels.call import device_kernel
from autodiff.backends.cupy.libraries.blas import why_no_blas
from autodiff.backends.cupy.libraries.precision import get_matmul_precision
from autodiff.backends.cupy.libraries.products import product_call
from autodiff.backends.reports.counts import count, is_view
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Literal, Tape, inner_tapes, operand_specs

SWITCH = "AUTODIFF_CUDA_GRAPHS"
"""The variable of the environment that is 0 where nothing is to be captured."""

LAUNCH, REPLAY, COPY = 12_000, 10_000, 12_000
"""Nanoseconds that Python takes to launch a kernel and make its result, a whole graph, and the copy of one array. The
host of an H100 took 8 for a launch, 4 for memory, and 55 for a product; on faster hosts all are shorter alike."""

BYTES = 3_000
"""Bytes that a GPU copies in a nanosecond, read and written: an H100."""

OPERATIONS, ROUNDED = 50_000, 750_000
"""Operations that it does meanwhile; and in products by tensor cores, whose factors have fewer bits than float32."""

STEPS = 4096
"""So many operations a graph has at most; loops of known length are written out in it."""


def switched_off() -> bool:
    """Whether nothing is to be captured."""
    return os.environ.get(SWITCH, "1") == "0"


def why_not_captured(tape: Tape) -> str:
    """Why a program cannot be captured; empty if it can.

    Args:
        tape: as it is run.
    """
    if switched_off():
        return f"{SWITCH}=0 in the environment"
    if shows_argument(tape):
        return "a result shows the memory of an argument"
    known = tape.specs
    for equation in tape.equations:
        reason = why_not(equation, known)
        if reason:
            return reason
    steps = launches(tape)
    return f"it has {steps} steps, more than {STEPS}" if steps > STEPS else ""


def why_not(equation: Equation, known: tuple[Spec, ...]) -> str:
    """Why an operation cannot be captured; empty if it can."""
    primitive, name = equation.primitive, equation.primitive.name
    specs = operand_specs(equation.operands, known)
    if primitive is device_kernel or is_view(equation):
        return ""
    if all(own.kind != "array" for own in (*equation.specs, *specs)):
        return ""
    if name == "scan":
        return next(filter(None, (why_not_captured(body) for _, body in inner_tapes(equation))), "")
    if hasattr(primitive, "compiled"):
        return f"{name} asks values on the GPU how to go on"
    if all(isinstance(o, Literal) for o in equation.operands):
        return ""
    if all(own.kind != "array" for own in specs):
        return f"{name} brings a number to the GPU"
    if product_call(equation, specs) is not None:
        return why_no_blas()
    if isinstance(primitive.evaluate, np.ufunc) and primitive.on_gpu is None:
        return ""
    return f"{name} is a function of CuPy's that may wait for the GPU"


def shows_argument(tape: Tape) -> bool:
    """Whether a result that is no argument itself may lie in the memory of one."""
    shown = set(range(len(tape.inputs)))
    for equation in tape.equations:
        if equation.primitive.view and not shown.isdisjoint(o for o in equation.operands if isinstance(o, int)):
            shown.update(equation.results)
    return any(out in shown and out >= len(tape.inputs) for out in tape.outputs if isinstance(out, int))


def launches(tape: Tape) -> int:
    """How many kernels and functions a run starts."""
    return sum(starts(equation) for equation in tape.equations)


def starts(equation: Equation) -> int:
    """How many kernels and functions an operation starts."""
    if equation.primitive.name == "scan":
        inside = sum(launches(body) for _, body in inner_tapes(equation))
        return int(dict(equation.params)["length"]) * (inside + 1)
    return 0 if is_view(equation) or equation.specs[0].kind == "python" else 1


def busy(tape: Tape) -> float:
    """Nanoseconds that the work of a program takes a GPU at least."""
    known = tape.specs
    return sum(least_time(equation, known) for equation in tape.equations if equation.specs[0].kind != "python")


def least_time(equation: Equation, known: tuple[Spec, ...]) -> float:
    """Nanoseconds that an operation takes at least."""
    own, dtype = count(equation, known), equation.specs[0].dtype
    shorter = dtype.itemsize == 2 or (dtype.char in "fF" and get_matmul_precision() != "highest")
    rate = ROUNDED if shorter and equation.primitive is not device_kernel else OPERATIONS
    return max(own.bytes / BYTES, own.operations / rate)


def why_not_worth(tape: Tape, moving: Iterator[Spec] | list[Spec], in_place: Collection[int] = ()) -> str:
    """Why replaying would not pay, however often the program is called; empty if it may.

    Args:
        tape: as it is run.
        moving: the arguments that lie elsewhere in each call, and must be copied to where the graph reads them.
        in_place: the results that lie in the memory of donated arguments.
    """
    results = [
        own
        for place, (own, out) in enumerate(zip(tape.output_specs, tape.outputs, strict=True))
        if out not in range(len(tape.inputs)) and place not in in_place
    ]
    copied = [*moving, *results]
    size = sum(own.size * own.dtype.itemsize for own in copied)
    started, working = launches(tape), busy(tape)
    if working >= started * LAUNCH:
        return f"the GPU works longer than it takes to start its {started} kernels"
    if started * LAUNCH > max(REPLAY + len(copied) * COPY, working + 2 * size / BYTES):
        return ""
    return (
        f"it starts {started} kernels, which costs no more than a graph and copies of {len(copied)} arrays of "
        f"{size:,} bytes"
    )
