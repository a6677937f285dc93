"""The laws of programs: what jit makes of a function is the function."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.lawbook.agreement import scale_of
from autodiff.testing.lawbook.closeness import difference
from autodiff.testing.lawbook.values import described
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem
from autodiff.trace.trees.tree import flatten

TOLERANCE = {"float16": 1e-2, "float32": 1e-5, "complex64": 1e-5}
"""How closely gradients agree, relative to the largest element: sums may be taken in another order."""


EXACT = 1e-12
"""The same in double precision."""

EVERY = int(os.environ.get("AUTODIFF_COMPILED_LAWS", "16"))
"""Of so many draws one is run by kernels, the others as NumPy's functions: kernels take time to compile."""


def backend_for(problem: Problem) -> str:
    """The backend for a draw: the same one each time that it is drawn."""
    drawn = repr([(np.shape(leaf), str(np.asarray(leaf).dtype)) for leaf in problem.leaves])
    return "numpy" if zlib.crc32(drawn.encode()) % EVERY else "auto"


def compiled(problem: Problem) -> None:
    """jit gives the value, in the first call and in the next."""
    program = autodiff.jit(problem.fun, backend=backend_for(problem))
    for call in ("first", "second"):
        alike(
            flatten(program(*problem.args))[0], flatten(problem.value)[0], f"the program's {call} value", problem.leaves
        )


def alike(actual: Sequence[Any], desired: Sequence[Any], name: str, made_of: Sequence[Any] = ()) -> None:
    """Check that leaves are of one kind, dtype and shape and agree as kernels do: up to some units in the last place.

    Of values much smaller than the largest one of theirs fewer digits agree: sums are taken in another order. A value
    in double precision that was made of arguments in single precision may have been computed in that.
    """
    coarsest = tolerance_of(*made_of)
    for number, (a, b) in enumerate(zip(actual, desired, strict=True)):
        if described(a) != described(b):
            raise Violation(
                f"  in         {name}, result {number}\n  arrived    {described(a)}\n  expected   {described(b)}"
            )
        array = np.asarray(b)
        smooth = array.dtype.kind in "fc"
        allowed = max(tolerance_of(array), coarsest) * max(scale_of(array), 1.0) if smooth else 0.0
        found = difference(a, b, allowed)
        if found is not None:
            raise Violation(f"  in         {name}, result {number}\n{found}")


def tolerance_of(*leaves: Any) -> float:
    """How closely results agree of which these are the arguments, or they themselves: the least precise decides."""
    return max((TOLERANCE.get(np.asarray(leaf).dtype.name, EXACT) for leaf in leaves), default=EXACT)


def compiled_gradient(problem: Problem) -> None:
    """The derivative of a program is that of the function, in reverse and in forward mode."""
    program = autodiff.jit(problem.flat, backend=backend_for(problem))
    gradients = autodiff.vjp(program, *problem.primals)[1](problem.cotangents)
    tangents = autodiff.jvp(program, problem.primals, problem.tangents)[1]
    wanted = autodiff.vjp(problem.flat, *problem.primals)[1](problem.cotangents)
    pushed = autodiff.jvp(problem.flat, problem.primals, problem.tangents)[1]
    names = [*problem.gradient_names, *(f"the tangent of {name}" for name in problem.result_names)]
    tolerance = tolerance_of(*problem.leaves, *wanted, *pushed) * max(scale_of(*wanted, *pushed), 1.0)
    for name, a, b in zip(names, (*gradients, *tangents), (*wanted, *pushed), strict=True):
        found = difference(a, b, tolerance)
        if found is not None:
            raise Violation(f"  in         {name} of the program\n{found}")
