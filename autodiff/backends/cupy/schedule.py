"""How a tape is run on a GPU: as fused kernels, and as CuPy's functions where there are none.

Every operation is a launch or more, and a launch costs some microseconds whatever it does: so everything that lies on a
grid goes into a kernel, single numbers too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from autodiff.backends.cupy.epilogues import fuse_epilogues
from autodiff.backends.cupy.halves import compute_in_float32, store_halves
from autodiff.backends.cupy.kernels.call import device_kernel
from autodiff.backends.cupy.kernels.expressions import ELSEWHERE
from autodiff.backends.cupy.kernels.sharing import long_rows
from autodiff.backends.cupy.kernels.special import special_kernel
from autodiff.backends.cupy.libraries.dots import DOTS
from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import FULL, PASSING, ROW, Grid, Shape
from autodiff.backends.passes.fusion.fuse import Machine, fuse, sub_tape
from autodiff.backends.passes.fusion.groups import Fusion, Unit
from autodiff.backends.passes.fusion.loop_invariants import LOOPS
from autodiff.backends.passes.fusion.loop_residuals import keep_residuals
from autodiff.backends.passes.preparation.expand import EXPANSIONS
from autodiff.backends.passes.preparation.parts import compute_parts
from autodiff.backends.passes.preparation.pieces import PIECES
from autodiff.backends.passes.preparation.slices import SLICES
from autodiff.backends.passes.preparation.softmax_shares import SHARES
from autodiff.backends.passes.rewrite.reductions import SPLIT_SUMS
from autodiff.backends.passes.rewrite.rewriting import joined, rewrite
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Tape

BEFORE_FUSION = joined(
    {name: rules for name, rules in EXPANSIONS.items() if name != "roll"}, SHARES, PIECES, LOOPS, SLICES
)


def schedule_for_gpu(tape: Tape) -> Tape:
    """A tape without constants, with kernels in the places of what they do."""
    wide = compute_in_float32(simplify(on_device(rewrite(tape, DOTS))))  # first: what is written out is float32 then
    simple = simplify(rewrite(compute_parts(keep_residuals(wide)), BEFORE_FUSION, merge=True), stable=False)
    fused = fuse(on_device(rewrite(simple, SPLIT_SUMS)), GPU)
    return share_copies(fuse_epilogues(store_halves(fused)))


def share_copies(tape: Tape) -> Tape:
    """The tape with one copy of what is reshaped twice: the second shape is one of the first.

    Where elements do not lie so, reshaping copies them; views of one copy cost nothing. What outputs show stays apart.
    """
    shown = {out for out in tape.outputs if isinstance(out, int)}
    for equation in reversed(tape.equations):
        if equation.primitive.view and not shown.isdisjoint(equation.results):
            shown.update(o for o in equation.operands if isinstance(o, int))
    first: dict[int, int] = {}
    equations = []
    for equation in tape.equations:
        if equation.primitive.name == "reshape" and shown.isdisjoint(equation.results):
            (operand,), (result,) = equation.operands, equation.results
            if isinstance(operand, int):
                shared = first.setdefault(operand, result)
                equation = equation if shared == result else replace(equation, operands=(shared,))
        equations.append(equation)
    return replace(tape, equations=tuple(equations))


def on_device(tape: Tape) -> Tape:
    """The tape as it is on a GPU: what is computed from arrays is an array there, single numbers too."""
    specs = list(tape.inputs)
    equations = []
    for equation in tape.equations:
        arrays = any(isinstance(o, int) and specs[o].kind == "array" for o in equation.operands)
        own = tuple(as_array(s) if arrays else s for s in equation.specs)
        equations.append(replace(equation, specs=own))
        specs += own
    return replace(tape, equations=tuple(equations))


def as_array(one: Spec) -> Spec:
    """The spec of an array with what another one has."""
    return one if one.kind == "array" else spec(one.shape, one.dtype)


def kernel_equation(kind: str, tape: Tape, **params: Any) -> Equation:
    """The operation that stands for a kernel, without operands and results."""
    sources = [equation.source for equation in tape.equations if equation.source]
    given = (("kind", kind), *sorted(params.items()), ("tape", tape))
    return Equation(device_kernel, (), given, (), tuple(tape.output_specs), sources[-1] if sources else "")


def grid_equation(tape: Tape, shape: Shape) -> Equation:
    """The kernel of a group on a grid."""
    return kernel_equation("grid", tape, shape=shape)


def worthwhile(unit: Unit, specs: Mapping[int, Spec]) -> bool:
    """Whether a group is worth a kernel: if it does anything that is no view."""
    if unit.grid is None or any(e.primitive.name in ELSEWHERE for e in unit.equations):
        return False
    return any(e.primitive.name not in PASSING for e in unit.equations)


def suits(grid: Grid, equations: Sequence[Equation]) -> bool:
    """Whether operations may become one kernel: not where few long rows would wait for what is reduced of them."""
    if any(equation.primitive.name in ELSEWHERE for equation in equations):
        return False  # SciPy's functions are on CPUs alone
    if not long_rows(grid):
        return True
    late: set[int] = set()
    for equation in equations:
        waits = any(isinstance(o, int) and o in late for o in equation.operands)
        if waits and grid.forms[equation.results[0]] == FULL:
            return False
        if waits or (reduces(equation) and grid.forms[equation.results[0]] == ROW):
            late.update(equation.results)
    return True


def special_equation(equation: Equation, fusion: Fusion) -> tuple[Equation, tuple[int, ...]] | None:
    """The kernel of an operation that lies on no grid, and its operands."""
    inner, brought = sub_tape([equation], equation.results, fusion.specs)
    found = special_kernel(inner)
    if found is None:
        return None
    kind, params = found
    return kernel_equation(kind, inner, **params), brought


TOGETHER = 1 << 20
"""A launch costs as much as moving some millions of bytes: kernels of less are put together."""

GPU = Machine(grid_equation, worthwhile, special_equation, numbers=True, shared=1, together=TOGETHER, suits=suits)
