"""The laws of a derivative: forward and reverse mode are numerical, they are adjoint, the value is continuous."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.differences.jacobian import numerical_pullback
from autodiff.testing.differences.kinks_inside import kinks_inside
from autodiff.testing.differences.pairing import magnitude, pairing
from autodiff.testing.differences.second_look import ROUGHNESS, beside_kinks, careful_slopes
from autodiff.testing.differences.sizes_inside import largest_inside, measured
from autodiff.testing.differences.slope import Slope
from autodiff.testing.lawbook.agreement import RELATIVE, VANISHING, agree, allowed_for, same_shape, scale_of, trusted
from autodiff.testing.lawbook.closeness import Difference, difference
from autodiff.testing.lawbook.roughness import GRAIN, rounding_of
from autodiff.testing.mismatch import Undecided, Violation
from autodiff.testing.problem import Problem

ADJOINT = 1e-12
"""How exactly <u, J v> = <J'u, v> holds in double precision, relative to all magnitudes that meet in it."""

FEW = 64
"""Inputs of at most so many elements are differentiated one by one, to name the wrong one in a gradient."""


def forward(problem: Problem, *, rtol: float = RELATIVE, atol: float = 0.0) -> None:
    """The derivative along a direction is the numerical one."""
    for one in directions_of(problem.double):
        try:
            found = _forward(one, rtol, atol)
        except Violation as violation:
            raise Violation(f"{violation}{blamed(one, lambda alone: _forward(alone, rtol, atol))}") from None
        problem.disagreement = max(problem.disagreement, found)


def _forward(problem: Problem, rtol: float, atol: float) -> float:
    _, tangents = autodiff.jvp(problem.flat, problem.primals, problem.tangents)

    def judge(slopes: Sequence[Slope]) -> float:
        def error(elementwise: bool) -> float:
            return agree(
                tangents, slopes, problem.sizes, problem.result_names, elementwise=elementwise, rtol=rtol, atol=atol
            )

        try:
            return error(elementwise=True)
        except Violation:
            if problem.elementwise:  # which takes time to find out
                raise
            return error(elementwise=False)

    return with_second_look(problem, judge)


def blamed(problem: Problem, check: Callable[[Problem], object]) -> str:
    """A line that names the arguments whose derivatives are wrong, where those by the others are right."""
    count = len(problem.primals)
    wrong = []
    for k in range(count if count <= FEW else 0):
        own = [t if j == k else np.zeros_like(t) for j, t in enumerate(problem.tangents)]
        try:
            check(problem.along(own))
        except Violation:
            wrong.append(problem.names[problem.places[k]])
        except Undecided:
            return ""
    return f"\n  by         {', '.join(wrong)}; by the others alone it is right" if 0 < len(wrong) < count else ""


def reverse(problem: Problem, *, rtol: float = RELATIVE, atol: float = 0.0) -> None:
    """The gradient paired with a direction is the numerical derivative along it."""
    for one in directions_of(problem.double):

        def judge(slopes: Sequence[Slope], one: Problem = one) -> float:
            _reverse(one, slopes, rtol, atol)
            return 0.0

        with_second_look(one, judge)


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
    found = difference(right, left, ADJOINT * scale + VANISHING)
    if found is not None:
        if not np.isfinite(left - right):
            if not all(np.isfinite(result).all() for result in problem.results):
                return  # where the value is no number, nobody says what its derivative is
            undecided_by_kinks_inside(problem)
        found = difference(right, left, ADJOINT * scale + VANISHING + ROUGHNESS * cancelled(problem))
    if found is not None:
        raise Violation(f"  in         <J'u, v> (arrived) against <u, J v> (expected)\n{found}")


def cancelled(problem: Problem) -> float:
    """The rounding of both sides of the adjoint law that their magnitudes do not show, since larger numbers cancelled.

    The slope of log(exp(x) + exp(-x)) at 1e-8 is as small, and yet the difference of two halves. At a kink derivatives
    jump, which is no rounding: both modes must give the same one there.
    """
    if problem.kinked:
        return 0.0
    pushed, pulled = rounding_of(problem.pushed, problem), rounding_of(problem.pulled, problem)
    return magnitude(problem.cotangents, pushed) + magnitude(pulled, problem.tangents)


def continuous(problem: Problem, largest: Callable[[Problem], float] = largest_inside) -> None:
    """The value does not jump: it has no derivative where it does."""
    problem = problem.double
    for slope, result, name in zip(problem.slopes, problem.results, problem.result_names, strict=True):
        jumps = (slope.jump > 0) & ~trusted(slope.limit, slope.error, abs(np.asarray(result)))
        if jumps.any():
            jumps &= slope.jump > GRAIN * largest(problem)
        if jumps.any():
            index = tuple(int(k) for k in np.argwhere(jumps)[0])
            raise Violation(
                f"  in         {name}{list(index) if index else ''}, which is {np.asarray(result)[index]!r} here\n"
                f"  arrived    values that differ by {float(slope.jump[index]):.3g} however small the step\n"
                "  expected   values that come closer with the step; keep the arguments away from jumps, with "
                "domain=domains.real.avoiding(...), or leave the law out with skip=('continuous',)"
            )


def smooth(problem: Problem) -> None:
    """The function has no kink: its slopes on both sides are one."""
    problem = problem.double
    for slope, name in zip(problem.slopes, problem.result_names, strict=True):
        if slope.kinked.any():
            index = tuple(int(k) for k in np.argwhere(slope.kinked)[0])
            raise Violation(
                f"  in         {name}{list(index) if index else ''}\n"
                f"  arrived    slopes on both sides that differ by {2 * float(slope.radius[index]):.3g}\n"
                "  expected   one slope; kinks='accept' takes any derivative between the two"
            )


def directions_of(problem: Problem) -> Iterator[Problem]:
    """The problem; at a kink also with every element moved the same way: other directions tell other pieces."""
    yield problem
    if problem.kinked:
        yield problem.along([np.abs(v) for v in problem.tangents])


def with_second_look(problem: Problem, judge: Callable[[Sequence[Slope]], float]) -> float:
    """Judge by the numerical derivatives; where they disagree, by careful ones; then look for kinks inside.

    Returns:
        the largest error as a part of what is allowed.

    Raises:
        Violation: the derivative is wrong.
        Undecided: an operation inside has a kink here, so that the chain rule says nothing.
    """
    try:
        return judge(problem.slopes)
    except Undecided:
        slopes = beside_kinks(problem, problem.slopes, largest_inside(problem))
        if not problem.near_kink:
            raise
        return judge_or_look_inside(problem, judge, slopes)
    except Violation:
        pass

    def pushed(primals: Sequence[Any]) -> Any:
        return autodiff.jvp(problem.flat, tuple(primals), problem.tangents)[1]

    problem.search.puzzling = True
    inside = measured(problem)
    return judge_or_look_inside(problem, judge, careful_slopes(problem, pushed, inside.largest, inside.fastest))


def judge_or_look_inside(problem: Problem, judge: Callable[[Sequence[Slope]], float], slopes: Sequence[Slope]) -> float:
    """Judge by the best numerical derivatives there are; a kink inside excuses what they contradict."""
    try:
        return judge(slopes)
    except Violation:
        undecided_by_kinks_inside(problem)
        raise


def undecided_by_kinks_inside(problem: Problem) -> None:
    """Say that nothing can be said, where an operation inside has a kink."""
    inside = kinks_inside(problem)
    if inside:
        raise Undecided(f"{', '.join(inside)} inside has a kink, or no finite slope, at these arguments") from None


def _reverse(problem: Problem, slopes: Sequence[Slope], rtol: float, atol: float) -> None:
    certain = [
        trusted(slope.limit, slope.error, np.maximum(size, slope.radius))
        for slope, size in zip(slopes, problem.sizes, strict=True)
    ]
    if problem.results and not any(part.any() or not part.size for part in certain):
        raise Undecided("no numerical derivative is accurate here")
    masked = tuple(_masked(u, keep) for u, keep in zip(problem.cotangents, certain, strict=True))
    limits = tuple(np.where(keep, slope.limit, 0.0) for keep, slope in zip(certain, slopes, strict=True))
    gradients = autodiff.vjp(problem.flat, *problem.primals)[1](masked)
    _same_shapes(problem, gradients)

    def error(elementwise: bool) -> Difference | None:
        allowed = [
            allowed_for(slope, np.where(keep, size, 0.0), keep, rtol, 0.0, elementwise).total
            for slope, size, keep in zip(slopes, problem.sizes, certain, strict=True)
        ]
        total = atol + magnitude(
            [np.abs(u) for u in masked], [np.broadcast_to(a, np.shape(u)) for a, u in zip(allowed, masked, strict=True)]
        )
        return difference(pairing(gradients, problem.tangents), pairing(masked, limits), total)

    found = error(elementwise=True)
    if found is not None and not problem.elementwise:
        found = error(elementwise=False)
    if found is not None:
        kinked = any(slope.kinked.any() for slope in slopes)
        named = None if kinked else _element(problem, gradients, masked, rtol)
        raise Violation(named or f"  in         a fixed direction\n{found}")


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
