"""The laws of values: tracing changes none, shapes are foretold, and a tape runs again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import autodiff
from autodiff.testing.lawbook.agreement import scale_of
from autodiff.testing.lawbook.closeness import difference
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem
from autodiff.trace.trees.tree import flatten

STEP = 2.0**-7
"""How far the arguments move before a tape is run again at other values."""


ULPS = 4
"""Units in the last place of the largest element by which a value may differ."""


def value(problem: Problem) -> None:
    """Under vjp and jvp the value is that of plain arrays, and so are its dtype, shape and scalar-ness."""
    pulled, _ = autodiff.vjp(problem.flat, *problem.primals)
    identical(pulled, problem.results, "the value under vjp", problem.leaves)
    pushed, _ = autodiff.jvp(problem.flat, problem.primals, problem.tangents)
    identical(pushed, problem.results, "the value under jvp", problem.leaves)


def spec(problem: Problem) -> None:
    """eval_shape foretells the shape and dtype of the value."""
    found = flatten(autodiff.eval_shape(problem.fun, *problem.args))[0]
    leaves = flatten(problem.value)[0]
    _same_number(found, leaves, "eval_shape")
    for number, (one, leaf) in enumerate(zip(found, leaves, strict=True)):
        array = np.asarray(leaf)
        if (tuple(one.shape), one.dtype) != (array.shape, array.dtype):
            raise Violation(
                f"  in         result {number} of eval_shape\n  arrived    {one.dtype}{list(one.shape)}\n"
                f"  expected   {array.dtype}{list(array.shape)}"
            )


def replay(problem: Problem) -> None:
    """A tape that is run again gives the value, at the arguments that made it and at others."""
    tape = autodiff.make_tape(problem.fun)(*problem.args)
    again = flatten(autodiff.eval_tape(tape, *problem.args))[0]
    identical(again, flatten(problem.value)[0], "the tape's value", problem.leaves)
    other = problem.structure.unflatten(problem.moved(STEP))
    expected = flatten(problem.fun(*other))[0]
    moved = flatten(autodiff.eval_tape(tape, *other))[0]
    identical(moved, expected, "the tape's value at other arguments", problem.leaves)


def identical(actual: Sequence[Any], desired: Sequence[Any], name: str, made_of: Sequence[Any] = ()) -> None:
    """Check that leaves are of one kind, dtype and shape and have equal elements, up to the order of a sum.

    BLAS adds in an order that depends on strides and alignment, and a copy need not have those of the original. What
    is `made_of` numbers in single precision may have been added in that, whatever it was converted to then.
    """
    _same_number(actual, desired, name)
    for number, (a, b) in enumerate(zip(actual, desired, strict=True)):
        if described(a) != described(b):
            raise Violation(
                f"  in         {name}, result {number}\n  arrived    {described(a)}\n  expected   {described(b)}"
            )
        found = difference(a, b, _rounding(np.asarray(b), made_of))
        if found is not None:
            raise Violation(f"  in         {name}, result {number}\n{found}")


def described(leaf: Any) -> str:
    """What a value is: 'array of float32[2, 3]', 'NumPy scalar of float64', 'Python float'."""
    if isinstance(leaf, np.ndarray):
        return f"array of {leaf.dtype}{list(leaf.shape)}"
    if isinstance(leaf, np.generic):
        return f"NumPy scalar of {leaf.dtype}"
    return f"Python {type(leaf).__name__}"


def _rounding(array: NDArray[Any], made_of: Sequence[Any]) -> float:
    if array.dtype.kind not in "fc":
        return 0.0
    dtypes = [array.dtype, *(np.asarray(leaf).dtype for leaf in made_of if isinstance(leaf, np.ndarray | np.generic))]
    unit = max(np.finfo(dtype).eps for dtype in dtypes if dtype.kind in "fc")
    return float(ULPS * unit * scale_of(array))


def _same_number(actual: Sequence[Any], desired: Sequence[Any], name: str) -> None:
    if len(actual) != len(desired):
        raise Violation(f"  in         {name}\n  arrived    {len(actual)} results\n  expected   {len(desired)} results")
