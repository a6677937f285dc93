"""Convolutions of vectors: sums of products over loops whose bounds are those of the shorter one."""

from __future__ import annotations

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.running import loops_over, place_of
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.backends.kernels.scalars import cast, literal
from autodiff.trace.tape import Equation


def stacks(step: Step) -> None:
    """The leading axes go along."""
    (out,) = step.results
    for own in step.operands:
        step.aligned(own[:-1], out[:-1])


@handles("convolve", "slide", kin=stacks)
def convolve(scope: Scope, equation: Equation) -> None:
    """out[n] = sum of x[k] y[n-k] where both are there, or out[k] = sum of g[k+n] y[n]."""
    out, emitter = equation.specs[0], scope.emitter
    if out.dtype.kind != "f" or 0 in out.shape:
        raise Impossible(f"{equation.primitive.name} of {out.dtype.name}")
    first, second = (scope.buffer(o) for o in equation.operands)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    last = len(out.shape) - 1
    with loops_over(scope, out.shape) as names:
        *lead, n = names
        indices = dict(enumerate(lead))
        total, k = emitter.name("t"), emitter.name("k")

        def element(which: int, index: str) -> str:
            source = (first, second)[which]
            place = place_of(source, {**indices, last: index})
            return cast(f"load_{source.dtype}({source.base}, {place})", source.dtype, out.dtype)

        if equation.primitive.name == "convolve":
            bounds = f"max(0, {n} - {second.shape[-1] - 1}), min({first.shape[-1]}, {n} + 1)"
            term = f"{element(0, k)} * {element(1, f'({n} - {k})')}"
        else:
            bounds = f"0, {second.shape[-1]}"
            term = f"{element(0, f'({n} + {k})')} * {element(1, k)}"
        emitter.line(f"{total} = {literal(0, out.dtype)}")
        emitter.line(f"for {k} in range({bounds}):")
        emitter.line(f"    {total} = {total} + {term}")
        emitter.line(f"store_{out.dtype}({target.base}, {place_of(target, dict(enumerate(names)))}, {total})")
        emitter.loops += 1
    scope.keep(equation, target)
