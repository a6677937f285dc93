"""Elements picked from each of many rows by one index, and added back there: threads share the rows.

``x[:, i]`` of a matrix is recorded as rows of its transpose, picked and transposed again. NumPy then walks memory in
large steps; these kernels pick from one row of the matrix after the other.
"""

from __future__ import annotations

from math import prod

import numpy as np

from autodiff.backends.kernels.call import KernelCall
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, operand_argument
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs
from autodiff.backends.kernels.roles import STATUS
from autodiff.backends.kernels.scalars import DTYPES, cast, literal
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

MANY = 1 << 14
"""So many elements are worth a kernel."""

PARTS = 16
"""Parts that threads share."""


def picked(values: Spec, index: Spec) -> bool:
    """Whether a kernel picks such values, or adds them, by such an index."""
    known = values.dtype in DTYPES and index.dtype in DTYPES and index.dtype.kind == "i"
    arrays = values.kind == index.kind == "array"
    return known and arrays and values.dtype.kind == "f" and values.size >= MANY and index.ndim > 0


def pick_text(tape: Tape) -> str:
    """The kernel of a tape that moves the rows of its operand last, picks or adds along them, and moves them first."""
    equation = tape.equations[1]
    index, out = tape.inputs[1], tape.output_specs[0]
    adds = equation.primitive.name == "scatter_add"
    rows = prod(tape.inputs[0].shape[: dict(equation.params)["rest"]])
    given, wanted = tape.inputs[0].size // rows, out.size // rows
    length = wanted if adds else given
    dtype, size = out.dtype, out.dtype.itemsize
    read, written = ("j", "n") if adds else ("n", "j")
    value = f"load_{dtype}(x_r, {read})"
    lines = [
        "def kernel(block, lo, hi):",
        f"    x = pointer(block, 0)  # {tape.inputs[0]}",
        f"    i = pointer(block, 1)  # {index}",
        f"    out = pointer(block, 2)  # {out}",
        "    status = pointer(block, 3)",
        "    for r in range(lo, hi):",
        f"        x_r = shifted(x, r * {given * size})",
        f"        out_r = shifted(out, r * {wanted * size})",
    ]
    if adds:
        lines += [f"        for j in range({wanted}):", f"            store_{dtype}(out_r, j, {literal(0, dtype)})"]
        value = f"load_{dtype}(out_r, n) + {value}"
    lines += [
        f"        for j in range({index.size}):",
        f"            k = {cast(f'load_{index.dtype}(i, j)', index.dtype, np.dtype(np.int64))}",
        f"            n = where(k < 0, k + {length}, k)",
        f"            if n < 0 or n >= {length}:",
        "                store_int64(status, 0, i8(1))",
        "                n = 0",
        f"            store_{dtype}(out_r, {written}, {value})",
    ]
    return "\n".join(lines) + "\n"


def pick_call(*, tape: Tape) -> KernelCall:
    """The kernel of what is picked from, or added, and the index: see :func:`pick_text`."""
    (out,) = tape.output_specs
    rows = prod(tape.inputs[0].shape[: dict(tape.equations[1].params)["rest"]])
    launch = KernelLaunch(
        pick_text(tape),
        [0] * 4,
        [
            *(operand_argument(word, own) for word, own in enumerate(tape.inputs)),
            ArrayArgument(2, out.dtype, True, size=out.size),
            ArrayArgument(3, np.dtype(np.int64), True, size=1, met=True),
        ],
        rows=rows,
        chunk=-(-rows // PARTS),
        parallel=True,
        release=True,
        name="a kernel that picks rows",
    )
    roles = ("operand", 0), ("operand", 1), ("result", 0), STATUS
    return KernelCall(launch, roles, tape.inputs, tape.output_specs)


picks = HostKernel("kernel_of_picks", pick_call)


def pick_kernel(tape: Tape, source: str) -> Equation:
    """The operation that stands for a kernel, without operands and results."""
    return Equation(picks, (), (("tape", tape),), (), kernel_specs(tape), source)
