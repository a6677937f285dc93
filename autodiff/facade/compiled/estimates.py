"""What a composition costs that was recorded, and whether compiling pays: counted from its operations."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff.backends.kernels.products import convolutions
from autodiff.backends.kernels.windows import pooling
from autodiff.backends.passes.fusion.cost import MULTIPLY, PRODUCTS, equation_work, memory, operand
from autodiff.facade.compiled.costs import OF_BYTE, OF_OPERATION
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape, operand_specs

WINDOWED, DIRECTIONS = 0.5, 3
"""Nanoseconds that it takes NumPy to copy an element under a kernel of a convolution, and how often it does, forward
and backward."""

LONGEST = 400
"""So many operations are compiled at most."""

SHARE = 0.2
"""Products of matrices are NumPy's either way: of the work so much must be something else."""


def estimate(tape: Tape) -> float:
    """What a call costs whose operations are known."""
    convolved = sum(convolution(equation, operand_specs(equation.operands, tape.specs)) for equation in tape.equations)
    return OF_OPERATION * len(tape.equations) + OF_BYTE * memory(tape) + convolved


def convolution(equation: Equation, operands: Sequence[Spec]) -> float:
    """What NumPy takes longer for an operation because it is a convolution: for copies of windows, and products."""
    if equation.primitive.name not in convolutions.NAMES:
        return 0.0
    products = convolutions.multiplications(equation, operands)
    outputs: int = convolutions.result_of(equation, operands).shape[1] // dict(equation.params)["geometry"].groups
    return DIRECTIONS * (WINDOWED * products / max(outputs, 1) + MULTIPLY * products)


def of_its_own(equation: Equation, operands: Sequence[Spec]) -> bool:
    """Whether an operation has a kernel that is faster than NumPy even where nothing is fused with it."""
    return not (convolutions.unsupported(equation, operands) and pooling.unsupported(equation, operands))


def reason_against(tape: Tape) -> str:
    """Why compiling would not pay, however often it is called; empty if it may."""
    if len(tape.equations) > LONGEST:
        return f"it has {len(tape.equations)} operations"
    specs = tape.specs
    if any(of_its_own(equation, operand_specs(equation.operands, specs)) for equation in tape.equations):
        return ""
    light = heavy = 0.0
    count = 0
    for equation in tape.equations:
        effort = equation_work(equation, [operand(o, specs) for o in equation.operands])
        name = equation.primitive.name
        if name in PRODUCTS or name == "einsum":
            heavy += effort
        elif not equation.primitive.view:
            light += effort
            count += 1
    if count < 2:
        return "there is nothing to fuse"
    return "it is a product of matrices" if light < SHARE * (light + heavy) else ""
