"""The three laws of a derivative: forward is numerical, reverse is numerical, and the two are adjoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.agreement import RELATIVE, agree, same_shape, scale_of, trusted
from autodiff.testing.closeness import difference
from autodiff.testing.jacobian import numerical_pullback
from autodiff.testing.mismatch import Undecided, Violation
from autodiff.testing.pairing import magnitude, pairing
from autodiff.testing.problem import Problem

ADJOINT = 1e-12
"""How exactly <u, J v> = <J'u, v> holds in double precision, relative to all magnitudes that meet in it."""

FEW = 64
"""Inputs of at most so many elements are differentiated one by one, to name the wrong one in a gradient."""


def forward(problem: Problem, *, rtol: float = RELATIVE, atol: float = 0.0) -> None:
    """The derivative along a direction is the numerical one."""
    problem = problem.double
    _, tangents = autodiff.jvp(problem.flat, problem.primals, problem.tangents)
    agree(tangents, *problem.slopes, problem.sizes, problem.result_names, rtol=rtol, atol=atol)


def reverse(problem: Problem, *, rtol: float = RELATIVE, atol: float = 0.0) -> None:
    """The gradient paired with a direction is the numerical derivative along it."""
    problem = problem.double
    limits, errors = problem.slopes
    certain = [trusted(*parts) for parts in zip(limits, errors, problem.sizes, strict=True)]
    if problem.results and not any(part.any() or not part.size for part in certain):
        raise Undecided("no numerical derivative is accurate here")
    masked = tuple(_masked(u, keep) for u, keep in zip(problem.cotangents, certain, strict=True))
    limits = tuple(np.where(keep, limit, 0.0) for keep, limit in zip(certain, limits, strict=True))
    gradients = autodiff.vjp(problem.flat, *problem.primals)[1](masked)
    _same_shapes(problem, gradients)
    expected = pairing(masked, limits)
    uncertain = sum(float(np.sum(error[keep])) for keep, error in zip(certain, errors, strict=True))
    scale = max(magnitude(masked, limits), magnitude(masked, problem.sizes))
    found = difference(pairing(gradients, problem.tangents), expected, atol + rtol * scale + uncertain)
    if found is not None:
        raise Violation(_element(problem, gradients, masked, rtol) or f"  in         a fixed direction\n{found}")


def adjoint(problem: Problem) -> None:
    """Forward and reverse mode are each other's transpose: <u, J v> = <J'u, v>."""
    problem = problem.double
    _, tangents = autodiff.jvp(problem.flat, problem.primals, problem.tangents)
    gradients = autodiff.vjp(problem.flat, *problem.primals)[1](problem.cotangents)
    _same_shapes(problem, gradients)
    right = pairing(gradients, problem.tangents)
    left = pairing(problem.cotangents, tangents)
    if not np.isfinite(left) and not np.isfinite(right):
        return
    scale = (
        magnitude(problem.cotangents, tangents)
        + magnitude(gradients, problem.tangents)
        + magnitude(problem.cotangents, problem.sizes)
    )
    found = difference(right, left, ADJOINT * scale)
    if found is not None:
        raise Violation(f"  in         <J'u, v> (arrived) against <u, J v> (expected)\n{found}")


def _same_shapes(problem: Problem, gradients: Sequence[Any]) -> None:
    for name, gradient, primal in zip(problem.gradient_names, gradients, problem.primals, strict=True):
        same_shape(gradient, primal, name)


def _masked(cotangent: Any, keep: Any) -> Any:
    """The cotangent where it is kept, zero elsewhere, of its own kind."""
    if keep.all():
        return cotangent
    return (cotangent * keep).astype(np.asarray(cotangent).dtype) if keep.ndim else cotangent * 0


def _element(problem: Problem, gradients: Any, cotangents: Any, rtol: float) -> str | None:
    """Which element of which gradient is wrong, where one can be named."""
    if sum(np.size(primal) for primal in problem.primals) > FEW:
        return None
    numerical = numerical_pullback(problem.flat, problem.primals, cotangents)
    for name, gradient, limit in zip(problem.gradient_names, gradients, numerical, strict=True):
        found = difference(gradient, limit, 10 * rtol * scale_of(*numerical))
        if found is not None:
            return f"  in         {name}\n{found}"
    return None
