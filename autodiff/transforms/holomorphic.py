"""Whether a function is complex-differentiable at the point where its derivative is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.errors import DifferentiationError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete
from autodiff.trace.trees.tree import LEAF
from autodiff.trace.values.arrays import first_on_gpu, module_of, on_gpu, placed
from autodiff.transforms.arguments import function_name

Leaves = Sequence[Any]


def refuse_unless_holomorphic(
    name: str, fun: Callable[..., Any], linear: Callable[[Leaves], Leaves], of: Leaves
) -> None:
    """Compare a derivative along a direction and along 1j times it, which the equations of Cauchy and Riemann relate.

    Nothing is said where values are not known, as under ``jit`` and ``vmap``, or not finite.

    Args:
        name: the transformation.
        fun: the user's function.
        linear: the derivative, as a linear map of real numbers in one mode or the other.
        of: the values at which it is taken: directions are like them.
    """
    home = first_on_gpu(of)
    directions = [own if home is None else placed(own, home) for own in map(direction, map(spec_of, of))]
    along, turned = linear(directions), linear([1j * d for d in directions])
    for one, other in zip(along, turned, strict=True):
        first, second = concrete(one), concrete(other)
        if any(value is None or type(value) is Spec for value in (first, second)):
            continue
        largest = np.max(np.abs(first), initial=0.0) + np.max(np.abs(second), initial=0.0)
        apart = np.max(np.abs(second - 1j * first), initial=0.0)
        if apart > np.sqrt(np.finfo(spec_of(first).dtype).eps) * largest:
            raise DifferentiationError(
                f"{name} with holomorphic=True needs a complex-differentiable function, but {function_name(fun)} is "
                f"none{at_user_line()}: its derivative along 1j is not 1j times that along 1, as where conj, abs, "
                "real, imag or angle are taken. Differentiate by real and imaginary parts, or a real result without "
                "holomorphic=True"
            )


def complex_seed(name: str, fun: Callable[..., Any], at: Any) -> Any:
    """The cotangent 1 of a result that must be one complex number, of a function that is complex-differentiable."""
    out = spec_of(at.outs[0][0]) if at.out is LEAF else None
    refuse_real(name, "an argument", map(spec_of, at.leaves), True)
    if out is None or out.shape != () or out.dtype.kind != "c":
        got = f"a tree {at.out}" if out is None else described(at.outs[0][0])
        raise DifferentiationError(
            f"{name} with holomorphic=True needs a function that returns one complex number, but {function_name(fun)} "
            f"returned {got}{at_user_line()}. Of a real result take the gradient without holomorphic=True; of several "
            "numbers jacobian"
        )
    refuse_unless_holomorphic(name, fun, at.pull, [at.outs[0][0]])
    value = at.outs[0][0]
    return module_of(value).ones((), out.dtype) if on_gpu(value) else out.dtype.type(1)


def refuse_real(name: str, what: str, specs: Iterable[Spec], holomorphic: bool) -> None:
    """Refuse real numbers where the function shall be complex-differentiable."""
    for s in specs:
        if holomorphic and s.dtype.kind != "c":
            raise DifferentiationError(
                f"{name} with holomorphic=True needs complex numbers, but {what} is {s!r}{at_user_line()}"
            )


def direction(spec: Spec) -> Any:
    """Numbers near one that have nothing to do with each other."""
    spread = np.cos(np.arange(1, spec.size + 1)).reshape(spec.shape) / 4
    return (1 + spread).astype(spec.dtype)[()]
