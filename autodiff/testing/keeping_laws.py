"""The laws of what must stay as it is: dtypes and shapes, precision, and the caller's own arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.agreement import scale_of
from autodiff.testing.closeness import difference
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem, is_inexact
from autodiff.testing.value_laws import described, identical

SINGLE = 1e-4
"""How closely derivatives in single precision agree with those in double, relative to the largest element."""

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
    scale = scale_of(*desired, *exact.sizes, *exact.pulled.sizes)
    for name, a, b in zip(problem.gradient_names, gradients, desired, strict=True):
        found = difference(a, b, SINGLE * max(scale, VANISHING))
        if found is not None:
            raise Violation(f"  in         {name}, against double precision\n{found}")


def untouched(problem: Problem) -> None:
    """No transformation writes to what it is given, and a pullback gives the same when it is called again."""
    given = [*problem.leaves, *problem.tangents, *problem.cotangents]
    names = [
        *problem.names,
        *(["a tangent"] * len(problem.tangents)),
        *(["a cotangent"] * len(problem.cotangents)),
    ]
    before = [_contents(leaf) for leaf in given]
    _, pullback = autodiff.vjp(problem.flat, *problem.primals)
    _unchanged(before, given, names, "vjp")
    once = [np.array(gradient) for gradient in pullback(problem.cotangents)]
    _unchanged(before, given, names, "the pullback")
    identical(
        [np.asarray(gradient) for gradient in pullback(problem.cotangents)],
        once,
        "the pullback's second call",
    )
    autodiff.jvp(problem.flat, problem.primals, problem.tangents)
    _unchanged(before, given, names, "jvp")


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


def _contents(leaf: Any) -> bytes:
    return np.asarray(leaf).tobytes()


def _unchanged(before: Sequence[bytes], leaves: Sequence[Any], names: Sequence[str], culprit: str) -> None:
    for name, old, leaf in zip(names, before, leaves, strict=True):
        if _contents(leaf) != old:
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
