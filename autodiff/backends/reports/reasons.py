"""Why no kernel does an operation of a program."""

from __future__ import annotations

from autodiff.backends.kernels.forms import Grid, Unfit, sub_specs
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.backends.kernels.scalars import unsupported
from autodiff.backends.passes.fusion.fuse import FEW, MANY
from autodiff.backends.passes.fusion.groups import lone_grid
from autodiff.backends.reports.plan import Plan, Statement
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Tape


def why(statement: Statement, plan: Plan) -> str:
    """Why a statement of a program is no kernel, or part of one."""
    if plan.plain:
        return plan.reason
    if statement.bodies:
        return "Python calls its bodies, which are programs" if plan.gpu else why_no_loop(statement, plan)
    if statement.kind in ("BLAS", "LAPACK", "cuBLAS", "cuSOLVER"):
        return f"{statement.kind} does it"
    if statement.kind == "view":
        return "it moves nothing"
    equation, specs = statement.equation, dict(enumerate(statement.known))
    if equation.primitive.family == "elementwise":
        reason = unsupported(equation.primitive, sub_specs(equation.operands, specs), equation.specs[0])
        if reason:
            return reason
    try:
        grid = lone_grid(equation, specs)
        return "by itself it only moves elements" if plan.gpu else too_little(grid)
    except Unfit as unfit:
        return str(unfit)


def too_little(grid: Grid) -> str:
    """Why an operation that fits on a grid is left to NumPy."""
    count = grid.rows * grid.columns
    elements = f"{count} element" if count == 1 else f"{count} elements"
    return f"it has {elements}: by itself a function pays from {FEW} on, arithmetic and moves from {MANY}"


def why_no_loop(statement: Statement, plan: Plan) -> str:
    """Why the bodies of a statement are called from Python."""
    if not statement.compiles:
        return f"{statement.equation.primitive.name} runs its operations one by one"
    try:
        whole_kernel(lone_tape(statement.equation, statement.known))
    except Impossible as reason:
        return str(reason)
    return "as calls of kernels and of NumPy's functions, whose work threads share, it is estimated to take less time"


def lone_tape(equation: Equation, known: tuple[Spec, ...]) -> Tape:
    """One operation as a program."""
    brought = tuple(dict.fromkeys(o for o in equation.operands if isinstance(o, int)))
    number = {slot: k for k, slot in enumerate(brought)}
    operands = tuple(number[o] if isinstance(o, int) else o for o in equation.operands)
    results = tuple(range(len(brought), len(brought) + len(equation.specs)))
    inputs = tuple(spec_of(known[slot]) for slot in brought)
    lone = Equation(equation.primitive, operands, equation.params, results, equation.specs, equation.source)
    return Tape(inputs, (lone,), results)
