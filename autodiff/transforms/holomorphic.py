"""Whether a function is complex-differentiable at the point where its derivative is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import first_on_gpu, placed
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
