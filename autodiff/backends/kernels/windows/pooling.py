"""Pooling as kernels: maxima, sums and picks under windows that slide over images, and back. Threads share the images.

NumPy makes several passes over strided parts of the images; a kernel reads and writes every element once. One kernel
gives maxima and their positions where a tape asks for both, and what is laid in windows is selected by a mask as it is
written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, operand_argument
from autodiff.backends.kernels.partition import CHUNK, MOST, PARALLEL
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs
from autodiff.backends.kernels.roles import STATUS, Role
from autodiff.backends.kernels.windows.layout import layout_of
from autodiff.backends.kernels.windows.text import window_text
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

NAMES = (
    "first_positions", "lay_in_windows", "max_windows", "pick_from_windows", "spread_windows", "sum_windows",
)  # fmt: skip

FEW = 1 << 13
"""So many pixels are worth a kernel."""

LARGEST = 64
"""Elements of a window that are written out, one after another; of larger ones NumPy adds up rows, then columns."""

PIXEL = 0.2
"""Nanoseconds of one thread for a pixel and a byte of its dtype over four."""


def unsupported(equation: Equation, operands: Sequence[Spec], any_size: bool = False) -> str:
    """Why an operation does not become such a kernel; empty where it does.

    Args:
        equation: the operation.
        operands: the specs of its operands.
        any_size: whether it does also where NumPy would be as fast.
    """
    if equation.primitive.name not in NAMES:
        return "it has no windows"
    if not all(isinstance(operand, int) for operand in equation.operands):
        return "an operand is no array"
    if len(set(equation.operands)) < len(equation.operands):
        return "an operand is there twice"
    params, (out,) = dict(equation.params), equation.specs
    size = prod(params["shape"])
    if not 0 < size <= LARGEST:
        return f"its windows have {size} elements: kernels take 1 to {LARGEST}"
    for own in (*operands, out):
        if own.kind != "array" or own.dtype not in (np.float32, np.float64, np.uint8):
            return f"{own} is no array of float32 or float64, nor one of positions as uint8"
    if len({own.dtype for own in (*operands, out) if own.dtype != np.uint8}) > 1 or operands[0].dtype == np.uint8:
        return "its operands are not all float32 or all float64 arrays"
    pixels = max(own.size for own in (*operands, out))
    if (pixels < FEW and not any_size) or not min(own.size for own in (*operands, out)):
        return f"it has {pixels} pixels: a kernel pays from {FEW} on"
    return ""


def parts_of(tape: Tape) -> int:
    """In how many parts the images are handed to threads: by size alone."""
    images = layout_of(tape).images
    pixels = max(own.size * own.dtype.itemsize / 4 for own in (*tape.inputs, *tape.output_specs))
    work = PIXEL * pixels
    if work <= PARALLEL or images < 2:
        return 1
    wanted = max(2, min(MOST, 1 << int(work / CHUNK).bit_length() - 1))
    return -(-images // -(-images // wanted))


def window_call(*, tape: Tape) -> KernelCall:
    """The kernel of an operation on windows, and of what comes with it."""
    layout, parts = layout_of(tape), parts_of(tape)
    arrays, count = (*tape.inputs, *tape.output_specs), len(tape.inputs)
    arguments = [operand_argument(word, own, word >= count) for word, own in enumerate(arrays)]
    roles: list[Role] = [("operand", k) if k < count else ("result", k - count) for k in range(len(arrays))]
    if layout.checks:
        arguments.append(ArrayArgument(len(arrays), np.dtype(np.int64), True, size=1, met=True))
        roles.append(STATUS)
    launch = KernelLaunch(
        window_text(layout, arrays),
        [0] * len(arguments),
        arguments,
        rows=layout.images,
        chunk=-(-layout.images // parts),
        parallel=parts > 1,
        release=True,
        name="a kernel of windows",
    )
    return KernelCall(launch, roles, tape.inputs, tape.output_specs)


window_kernels = HostKernel("kernel_of_windows", window_call)


def window_kernel(equations: Sequence[Equation], specs: Sequence[Spec]) -> Equation:
    """The operation that stands for others, with operands and results as they have them.

    Args:
        equations: an operation on windows, and perhaps one that takes its result.
        specs: of the slots.
    """
    made = [slot for equation in equations for slot in equation.results]
    used = [operand for equation in equations for operand in equation.operands if isinstance(operand, int)]
    brought = tuple(dict.fromkeys(slot for slot in used if slot not in made))
    number = {slot: k for k, slot in enumerate((*brought, *made))}
    inner = tuple(
        replace(
            equation,
            operands=tuple(number[o] if isinstance(o, int) else o for o in equation.operands),
            results=tuple(number[slot] for slot in equation.results),
        )
        for equation in equations
    )
    first, last = equations[0], equations[-1]
    wanted = last.results if last.primitive.name == "where" else made
    tape = Tape(tuple(specs[slot] for slot in brought), inner, tuple(number[slot] for slot in wanted))
    return replace(
        first,
        primitive=window_kernels,
        operands=brought,
        params=(("tape", tape),),
        results=tuple(wanted),
        specs=kernel_specs(tape),
    )
