"""What operations do, by counting: arithmetic, functions, and bytes that are moved. Nothing is run or timed.

Additions, multiplications, divisions, comparisons and selections count as one operation each, whatever their dtype;
``exp``, ``tanh`` and their like are counted by themselves, since a machine needs five to fifty operations for one. A
sum of n elements is n operations, a product of matrices two for each multiplication. Factorizations have their textbook
counts. Bytes are those of the arrays that are read and written, each once: what is in cache is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

from autodiff.backends.kernels.primitive import KernelPrimitive
from autodiff.backends.kernels.scalars import CHEAP_CALLS, parsed, template
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape, inner_tapes, operand_specs


@dataclass(frozen=True)
class Count:
    """What something does.

    Args:
        operations: additions, multiplications, comparisons, ...
        functions: ``exp``, ``tanh``, ...: one for each element.
        read: bytes.
        written: bytes.
    """

    operations: float = 0
    functions: float = 0
    read: int = 0
    written: int = 0

    @property
    def bytes(self) -> int:
        """Read and written."""
        return self.read + self.written

    def __add__(self, other: Count) -> Count:
        return Count(
            self.operations + other.operations,
            self.functions + other.functions,
            self.read + other.read,
            self.written + other.written,
        )

    def __mul__(self, times: int) -> Count:
        return Count(self.operations * times, self.functions * times, self.read * times, self.written * times)


def count(equation: Equation, known: Sequence[Spec]) -> Count:
    """What one statement of a program does; of operations that run tapes see :mod:`statements`.

    Args:
        equation: the operation; kernels count as all that they do.
        known: the specs of the slots.
    """
    operands = operand_specs(equation.operands, known)
    if isinstance(equation.primitive, KernelPrimitive):
        operations, functions = within(dict(equation.params)["tape"])
    else:
        operations, functions = arithmetic(equation, operands)
    read, written = moved(equation, operands)
    return Count(operations, functions, read, written)


def within(tape: Tape) -> tuple[float, float]:
    """The arithmetic of a whole tape: bodies of loops as often as they run, once where nobody knows."""
    operations = functions = 0.0
    known = list(tape.inputs)
    for equation in tape.equations:
        own = arithmetic(equation, operand_specs(equation.operands, known))
        operations, functions = operations + own[0], functions + own[1]
        known.extend(equation.specs)
    return operations, functions


def arithmetic(equation: Equation, operands: Sequence[Spec]) -> tuple[float, float]:
    """How many operations and functions an equation computes."""
    bodies = [within(tape) for _, tape in inner_tapes(equation)]
    name = equation.primitive.name
    if bodies:
        chosen = [max(bodies)] if name == "switch" else bodies
        times = dict(equation.params)["length"] if name == "scan" else 1
        return times * sum(own[0] for own in chosen), times * sum(own[1] for own in chosen)
    size = float(max((one.size for one in equation.specs), default=0))
    first = float(operands[0].size) if operands else 0.0
    if equation.primitive.family == "elementwise":
        own = of_element(equation, operands)
        return own[0] * size, own[1] * size
    facts = equation.primitive.facts
    if facts.fold is not None or facts.each:
        return first, 0
    if facts.multiplications is not None:
        return 2.0 * facts.multiplications(operands, equation.specs[0], dict(equation.params)), 0
    if facts.cubes:
        return facts.cubes * factorized(operands), 0
    if name in ("fft", "rfft", "irfft"):
        length = max(operands[0].shape[-1], equation.specs[0].shape[-1])
        return 5 * max(first, size) * max(log2(max(length, 2)), 1), 0
    if name in ("softmax", "log_softmax", "logsumexp", "logaddexp_axes"):
        return 4 * first, first
    return 0, 0


def of_element(equation: Equation, operands: Sequence[Spec]) -> tuple[int, int]:
    """The operations and functions of an element of an elementwise operation."""
    name = equation.primitive.name
    if name in ("cast", "copy", "real", "imag", "stop_gradient", "python_number", "positive", "conjugate"):
        return 0, 0
    values = [s if isinstance(o, int) else o.value for o, s in zip(equation.operands, operands, strict=True)]
    text = template(equation.primitive, values, equation.specs[0])
    if not text:
        return 1, 0
    nodes = list(ast.walk(parsed(text)))
    calls = [node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    functions = sum(call not in CHEAP_CALLS and call != "sqrt" for call in calls)
    operations = sum(isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)) for node in nodes)
    return operations + len(calls) - functions, functions


def factorized(operands: Sequence[Spec]) -> float:
    """The cubes of matrices, summed over a stack of them."""
    *stack, rows, columns = operands[0].shape
    return float(prod(stack)) * max(rows, columns) * min(rows, columns) ** 2


def moved(equation: Equation, operands: Sequence[Spec]) -> tuple[int, int]:
    """The bytes that are read and written. Views move nothing; what picks elements reads as many as it writes."""
    if is_view(equation):
        return 0, 0
    written = sum(map(size_of, equation.specs))
    if equation.primitive.name in ("gather", "pick", "diagonal", "slice_of"):
        return written + sum(map(size_of, operands[1:])), written
    given: dict[Operand, Any] = dict(zip(equation.operands, operands, strict=True))
    return sum(map(size_of, given.values())), written


def is_view(equation: Equation) -> bool:
    """Whether the results show memory of the first operand. Where NumPy must copy after all, this is not known."""
    return equation.primitive.view and equation.specs[0].kind == "array"


def size_of(value: Spec) -> int:
    """The bytes of an array; numbers count as nothing."""
    own = spec_of(value)
    return own.size * own.dtype.itemsize if own.kind == "array" else 0
