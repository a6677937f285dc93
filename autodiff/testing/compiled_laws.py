"""The laws of programs: what jit makes of a function is the function."""

from __future__ import annotations

import numpy as np

import autodiff
from autodiff.testing.agreement import scale_of
from autodiff.testing.closeness import difference
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem
from autodiff.testing.value_laws import identical
from autodiff.trace.tree import flatten

TOLERANCE = {"float16": 1e-2, "float32": 1e-5, "complex64": 1e-5}
"""How closely gradients agree, relative to the largest element: sums may be taken in another order."""


def compiled(problem: Problem) -> None:
    """jit gives the value, in the first call and in the next."""
    program = autodiff.jit(problem.fun)
    for call in ("first", "second"):
        identical(flatten(program(*problem.args))[0], flatten(problem.value)[0], f"the program's {call} value")


def compiled_gradient(problem: Problem) -> None:
    """The derivative of a program is that of the function, in reverse and in forward mode."""
    program = autodiff.jit(problem.flat)
    gradients = autodiff.vjp(program, *problem.primals)[1](problem.cotangents)
    tangents = autodiff.jvp(program, problem.primals, problem.tangents)[1]
    wanted = autodiff.vjp(problem.flat, *problem.primals)[1](problem.cotangents)
    pushed = autodiff.jvp(problem.flat, problem.primals, problem.tangents)[1]
    names = [*problem.gradient_names, *(f"the tangent of {name}" for name in problem.result_names)]
    coarsest = max(TOLERANCE.get(np.asarray(leaf).dtype.name, 1e-12) for leaf in (*problem.leaves, *wanted, *pushed))
    tolerance = coarsest * max(scale_of(*wanted, *pushed), 1.0)
    for name, a, b in zip(names, (*gradients, *tangents), (*wanted, *pushed), strict=True):
        found = difference(a, b, tolerance)
        if found is not None:
            raise Violation(f"  in         {name} of the program\n{found}")
