"""Which convolutions become kernels, where threads share the images.

NumPy's way copies all windows of all images to memory before one large product; a kernel does so for a few rows of a
result at a time, which stay in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from autodiff.backends.kernels.primitive import kernel_specs
from autodiff.backends.kernels.products.convolution_call import convolutions
from autodiff.backends.kernels.products.convolution_text import PARTS
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape, operand_specs

NAMES = ("convolve_nd", "convolve_to_input", "convolve_to_kernel")

WORK = 100_000
"""Multiplications that are worth a kernel."""

FEW = 16
"""With fewer pixels of a result, one product for all images reads the kernels less often."""

ROOM = 1 << 28
"""Bytes that sums of the parts may take."""


def unsupported(equation: Equation, operands: Sequence[Spec], any_size: bool = False) -> str:
    """Why an operation does not become such a kernel; empty where it does.

    Args:
        equation: the operation.
        operands: the specs of its operands.
        any_size: whether it does also where NumPy would be as fast.
    """
    if equation.primitive.name not in NAMES:
        return "it is no convolution"
    if not all(isinstance(operand, int) for operand in equation.operands):
        return "an operand is no array"
    (out,) = equation.specs
    if out.dtype not in (np.float32, np.float64) or any(s.dtype != out.dtype or s.kind != "array" for s in operands):
        return "its operands are not both float32 or both float64 arrays"
    geometry = dict(equation.params)["geometry"]
    if geometry.rank > 2:
        return f"it has {geometry.rank} spatial axes"
    work = multiplications(equation, operands)
    if work < WORK and not any_size:
        return f"it is as small as {work} multiplications"
    pixels = prod(result_of(equation, operands).shape[2:])
    if pixels < FEW and not any_size:
        return f"an image of its result has {pixels} pixels"
    if equation.primitive.name == "convolve_to_kernel" and out.size * out.dtype.itemsize * PARTS > ROOM:
        return f"kernels of {out.size * out.dtype.itemsize} bytes are too large to be summed in parts"
    return ""


def result_of(equation: Equation, operands: Sequence[Spec]) -> Spec:
    """The result of the convolution, which its gradients take."""
    name = equation.primitive.name
    return equation.specs[0] if name == "convolve_nd" else operands[int(name == "convolve_to_kernel")]


def multiplications(equation: Equation, operands: Sequence[Spec]) -> int:
    """How many multiplications an operation is."""
    kernels = equation.specs[0] if equation.primitive.name == "convolve_to_kernel" else operands[1]
    return result_of(equation, operands).size * prod(kernels.shape[1:])


def convolution_kernel(equation: Equation, operands: Sequence[Spec], any_size: bool = False) -> Equation | None:
    """The operation that runs a convolution as a kernel, with the same operands and results; None where none does.

    Args:
        equation: any operation.
        operands: the specs of its operands.
        any_size: whether one does also where NumPy would be as fast.
    """
    if unsupported(equation, operands, any_size):
        return None
    alone = Tape(tuple(operands), (replace(equation, operands=(0, 1), results=(2,)),), (2,))
    return replace(equation, primitive=convolutions, params=(("tape", alone),), specs=kernel_specs(alone))


def with_convolutions(tape: Tape) -> Tape:
    """The tape with kernels in the places of its convolutions."""
    known = tape.specs
    found = [convolution_kernel(e, operand_specs(e.operands, known)) or e for e in tape.equations]
    return replace(tape, equations=tuple(found))
