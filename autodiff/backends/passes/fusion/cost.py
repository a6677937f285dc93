"""What operations cost, by counting: nanoseconds on one core of a present machine, estimated from sizes alone.

No clock is read, so that a program is compiled in the same way each time, whatever else the machine does.
"""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.backends.kernels.scalars import costly, template
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Tape

CALL, LAUNCH, STEP = 1000.0, 600.0, 2000.0
"""Nanoseconds of a call of NumPy, of a kernel, and of a step of a loop in Python."""

CHEAP, DEAR, MULTIPLY = 0.15, 1.2, 0.025
"""Nanoseconds of an element of arithmetic, of a function, and of a multiplication in a product of matrices."""

PRODUCTS = {"matmul", "linear_map", "matvec", "dot"}

ELIMINATIONS = {"inv": 1.0, "solve": 0.5, "det": 0.5, "slogdet": 0.5, "cholesky": 0.3}
"""Nanoseconds of the cube of the side of a matrix, in loops over single elements."""

SUBSTITUTE, BY_BLOCKS = 0.03, 0.1
"""Nanoseconds of a multiplication of substitution, in a kernel and by blocks with NumPy."""

ONE_BY_ONE = 1.0
"""Nanoseconds of a step that waits for the one before: of a running sum, a comparison of sorting, a term of a
convolution."""


ALONE, BY_INDEX = 0.4, {"gather": 1.0, "scatter_add": 2.0, "slice_into": 2.5}
"""Nanoseconds of an element that NumPy takes longer than a loop of a kernel, which keeps it at hand for what follows;
and where places are given by indices."""


def work(tape: Tape) -> float:
    """The work that the operations of a tape do, those of its loops included."""
    specs = tape.specs
    return sum(equation_work(equation, [operand(o, specs) for o in equation.operands]) for equation in tape.equations)


def operand(o: Any, specs: tuple[Spec, ...]) -> Any:
    """The spec of a slot, or a number."""
    return specs[o] if isinstance(o, int) else o.value


def equation_work(equation: Equation, operands: list[Any]) -> float:
    """The work of one operation."""
    params = dict(equation.params)
    name = equation.primitive.name
    if name == "scan":
        return float(params["length"]) * work(params["tape"])
    if name == "while_loop":
        return 20 * (work(params["body"]) + work(params["condition"]))
    if name == "switch":
        return max(map(work, params["branches"]))
    if isinstance(params.get("tape"), Tape):
        return work(params["tape"])
    size = max((s.size for s in (*map(spec_of, operands), *equation.specs)), default=1)
    if name == "einsum":
        return MULTIPLY * multiplications(params["subscripts"], operands)
    if name == "solve_triangular":
        return (SUBSTITUTE * spec_of(operands[0]).shape[-1] + CHEAP) * equation.specs[0].size
    if name in ELIMINATIONS:
        return ELIMINATIONS[name] * spec_of(operands[0]).size * spec_of(operands[0]).shape[-1]
    if name in ("cumsum", "cumprod", "cummax", "cummin", "recurrence"):
        return ONE_BY_ONE * size
    if name == "argsort":
        return ONE_BY_ONE * size * float(equation.specs[0].shape[params["axis"]]) / 4
    if name in ("convolve", "slide"):
        return ONE_BY_ONE * size * spec_of(operands[1]).shape[-1]
    if name in PRODUCTS and spec_of(operands[0]).shape:
        return MULTIPLY * max((s.size for s in equation.specs), default=1) * spec_of(operands[0]).shape[-1]
    if equation.primitive.family == "elementwise" and len(equation.specs) == 1:
        out = equation.specs[0]
        dear = bool(template(equation.primitive, operands, out)) and costly(equation.primitive, operands, out)
        return (DEAR if dear else CHEAP) * size * out.dtype.itemsize / 8
    return CHEAP * size


def multiplications(subscripts: str, operands: list[Any]) -> int:
    """How many multiplications an Einstein sum is, done in one go."""
    lengths: dict[str, int] = {}
    for term, given in zip(subscripts.split("->")[0].split(","), operands, strict=True):
        for letter, length in zip(term, spec_of(given).shape, strict=True):
            lengths[letter] = max(length, lengths.get(letter, 1))
    return prod(lengths.values())


def calls(tape: Tape) -> float:
    """What a tape costs besides its work, run operation by operation from Python."""
    total = 0.0
    for equation in tape.equations:
        params = dict(equation.params)
        name = equation.primitive.name
        if name == "scan":
            total += params["length"] * (STEP + calls(params["tape"]))
        elif name == "while_loop":
            total += 20 * (STEP + calls(params["body"]) + calls(params["condition"]))
        elif name == "switch":
            total += STEP + max(map(calls, params["branches"]))
        elif name == "solve_triangular":
            total += (
                CALL + BY_BLOCKS * spec_of(operand(equation.operands[0], tape.specs)).shape[-1] * equation.specs[0].size
            )
        elif name == "kernel_of_rows":
            total += LAUNCH + 150 * len(equation.specs)
        elif name.startswith("kernel") or name in PRODUCTS or equation.primitive.view:
            total += CALL
        else:
            given = [spec_of(operand(o, tape.specs)).size for o in equation.operands[:1]]
            most = max([*given, *(s.size for s in equation.specs)], default=0)
            total += CALL + (ALONE + BY_INDEX.get(name, 0.0)) * most
    return total


def memory(tape: Tape) -> int:
    """The bytes of all values of a tape."""
    return sum(prod(s.shape) * s.dtype.itemsize for s in tape.specs)
