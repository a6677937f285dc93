"""The laws of what must stay as it is: dtypes and shapes, precision, and the caller's own arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.lawbook.agreement import scale_of
from autodiff.testing.lawbook.closeness import Difference, difference
from autodiff.testing.lawbook.values import described, identical
from autodiff.testing.mismatch import DIFFERENT, Violation
from autodiff.testing.problem import Problem, is_inexact

ULPS = {"float16": 2.0**4, "float32": 2.0**5, "complex64": 2.0**5}
"""By how many units in the last place of the largest element derivatives differ from those in double precision."""

SHAKES = 4
SHAKEN = 32.0
"""How many times further: what the derivative changes where the arguments change in their last places."""

SHORT = 2.0**-12
"""How far the function moves to have other rounding errors."""

ELSEWHERE = 2.0**-3
"""How far away the function is called between two calls of a pullback, which must not mix them up."""

BEYOND = 2.0**-10
"""Derivatives within this part of the largest number of a dtype may overflow on the way."""

VANISHING = 1e-30
"""Derivatives smaller than this may underflow in single precision."""


def dtype(problem: Problem) -> None:
    """Gradients have the dtype and shape of their arguments, tangents those of the results."""
    _, pullback = autodiff.vjp(problem.flat, *problem.primals)
    gradients = pullback(problem.cotangents)
    for name, gradient, primal in zip(problem.gradient_names, gradients, problem.primals, strict=True):
        _same_type(gradient, primal, name)
    _, tangents = autodiff.jvp(problem.flat, problem.primals, problem.tangents)
    for name, tangent, result in zip(problem.result_names, tangents, problem.results, strict=True):
        _same_type(tangent, result, f"the tangent of {name}")


def precision(problem: Problem) -> None:
    """Derivatives in single precision are those in double precision, rounded."""
    exact = problem.double
    if exact is problem:
        return
    gradients = autodiff.vjp(problem.flat, *problem.primals)[1](problem.cotangents)
    cotangents = tuple(
        np.asarray(u).astype(np.asarray(result).dtype)[()]
        for u, result in zip(problem.cotangents, exact.results, strict=True)
    )
    desired = autodiff.vjp(exact.flat, *exact.primals)[1](cotangents)
    scale = max(scale_of(*desired, *exact.sizes, *exact.pulled.sizes), VANISHING)
    unit = max(unit_of(leaf) for leaf in (*problem.primals, *problem.results))
    columns = [*zip(problem.gradient_names, gradients, desired, strict=True)]
    if all(_rounded(a, b, unit * scale) is None for _, a, b in columns):
        return
    scale = max(scale, _cancelled(problem, exact))
    for (name, a, b), sway in zip(columns, _sways(problem, exact, cotangents), strict=True):
        found = _rounded(a, b, unit * scale + SHAKEN * sway)
        if found is not None:
            raise Violation(f"  in         {name}, against double precision\n{found}")


def unit_of(leaf: Any) -> float:
    """The relative error that its dtype may make of a derivative; zero for double precision."""
    dtype = np.asarray(leaf).dtype
    return float(ULPS.get(dtype.name, 0.0) * np.finfo(dtype).eps)


def _rounded(actual: Any, desired: Any, allowed: Any) -> Difference | None:
    """What differs by more than is allowed, wherever the desired number is not beyond the dtype."""
    largest = float(np.finfo(np.asarray(actual).dtype).max) * BEYOND
    return difference(actual, desired, np.where(abs(np.asarray(desired)) < largest, allowed, np.inf))


def _cancelled(problem: Problem, exact: Problem) -> float:
    """How large the numbers were that the function was made of, as its own rounding errors in single precision say.

    1 + tanh(x) at -5 is small, and yet it is off by the error of numbers near one; so is its derivative.
    """
    largest = 0.0
    for step in range(SHAKES):
        moved = problem.near(step * SHORT)
        same = [np.asarray(x).astype(np.asarray(wide).dtype)[()] for x, wide in zip(moved, exact.primals, strict=True)]
        for single, double in zip(problem.flat(*moved), exact.flat(*same), strict=True):
            off = abs(np.asarray(single) - np.asarray(double)) / np.finfo(np.asarray(single).dtype).eps
            largest = max(largest, scale_of(off))
    return largest


def _sways(problem: Problem, exact: Problem, cotangents: Sequence[Any]) -> list[Any]:
    """How far the exact gradients move where the arguments move by a unit in the last place of their own dtype."""
    random = np.random.default_rng(len(problem.primals))
    found = [np.zeros(np.shape(x)) for x in exact.primals]
    here = autodiff.vjp(exact.flat, *exact.primals)[1](cotangents)
    for _ in range(SHAKES):
        moved = [
            x + abs(np.asarray(x)) * np.finfo(np.asarray(own).dtype).eps * random.choice((-1.0, 1.0), np.shape(x))
            for x, own in zip(exact.primals, problem.primals, strict=True)
        ]
        there = autodiff.vjp(exact.flat, *moved)[1](cotangents)
        found = [np.fmax(old, abs(np.asarray(a) - b)) for old, a, b in zip(found, there, here, strict=True)]
    return found


def untouched(problem: Problem) -> None:
    """No transformation writes to what it is given; called again, each gives the same, whatever was called between."""
    given = [*problem.leaves, *problem.tangents, *problem.cotangents]
    names = [
        *problem.names,
        *(["a tangent"] * len(problem.tangents)),
        *(["a cotangent"] * len(problem.cotangents)),
    ]
    before = [contents(leaf) for leaf in given]
    _, pullback = autodiff.vjp(problem.flat, *problem.primals)
    _unchanged(before, given, names, "vjp")
    once = [np.array(gradient) for gradient in pullback(problem.cotangents)]
    _unchanged(before, given, names, "the pullback")
    problem.flat(*problem.near(ELSEWHERE))
    _same_again(pullback(problem.cotangents), once, "the pullback's second call")
    _same_again(autodiff.vjp(problem.flat, *problem.primals)[1](problem.cotangents), once, "another call of vjp")
    tangents = autodiff.jvp(problem.flat, problem.primals, problem.tangents)[1]
    _unchanged(before, given, names, "jvp")
    _same_again(autodiff.jvp(problem.flat, problem.primals, problem.tangents)[1], tangents, "another call of jvp")


def _same_again(again: Sequence[Any], once: Sequence[Any], name: str) -> None:
    try:
        identical([np.asarray(one) for one in again], [np.asarray(one) for one in once], name)
    except Violation as violation:
        raise Violation(f"{violation}\n  because    {DIFFERENT}") from None


def locked(problem: Problem) -> None:
    """Read-only arguments and cotangents are as good as writeable ones."""
    _, pullback = autodiff.vjp(problem.flat, *map(_locked, problem.primals))
    pullback(tuple(map(_locked, problem.cotangents)))
    autodiff.jvp(problem.flat, tuple(map(_locked, problem.primals)), tuple(map(_locked, problem.tangents)))


def _same_type(actual: Any, desired: Any, name: str) -> None:
    """One shape and dtype; a Python number, whose dtype is weak, only asks for a scalar as real as itself."""
    a, b = np.asarray(actual), np.asarray(desired)
    weak = not isinstance(desired, np.ndarray | np.generic)
    if a.shape != b.shape or (a.dtype.kind if weak else a.dtype) != (b.dtype.kind if weak else b.dtype):
        raise Violation(f"  in         {name}\n  arrived    {described(actual)}\n  expected   {described(desired)}")


def contents(leaf: Any) -> bytes:
    """The bits of a leaf."""
    return np.asarray(leaf).tobytes()


def _unchanged(before: Sequence[bytes], leaves: Sequence[Any], names: Sequence[str], culprit: str) -> None:
    for name, old, leaf in zip(names, before, leaves, strict=True):
        if contents(leaf) != old:
            array = np.asarray(leaf)
            raise Violation(
                f"  in         {name}\n"
                f"  arrived    {array.tolist()!r} after {culprit}\n"
                f"  expected   {np.frombuffer(old, array.dtype).reshape(array.shape).tolist()!r} as before"
            )


def _locked(leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray) or not is_inexact(leaf):
        return leaf
    copy = leaf.copy()
    copy.flags.writeable = False
    return copy
