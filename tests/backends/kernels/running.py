"""The same function run as NumPy, as kernels of rows, and as one kernel."""

from typing import Any

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.choice import numba_is_there
from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.backends.passes.preparation.expand import EXPANSIONS
from autodiff.backends.passes.rewrite.known import use_constants
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.backends.passes.schedule import one_kernel
from autodiff.backends.reference import run_tape
from autodiff.backends.straight import Straight
from autodiff.trace.tape import Tape
from autodiff.trace.trees.tree import flatten

needs_numba = pytest.mark.skipif(not numba_is_there(), reason="kernels are compiled by Numba")


def simple(fun: Any, *args: Any) -> Tape:
    """The tape as kernels are made of it."""
    return rewrite(simplify(use_constants(make_tape(fun)(*args))), EXPANSIONS, merge=True)


def names(tape: Tape) -> list[str]:
    return [equation.primitive.name for equation in tape.equations]


def reference(fun: Any, *args: Any) -> list[Any]:
    with np.errstate(all="ignore"):
        return run_tape(make_tape(fun)(*args), flatten(args)[0])


def leaves(tape: Tape, args: Any) -> list[Any]:
    return [*flatten(args)[0], *tape.constants]


def by_rows(fun: Any, *args: Any) -> Any:
    """The outputs of kernels of rows, and of NumPy's functions for what is in none."""
    tape = fuse(simple(fun, *args))
    assert "kernel_of_rows" in names(tape), str(tape)
    return Straight(tape).run(*leaves(tape, args))


def by_one(fun: Any, *args: Any) -> Any:
    """The outputs of one kernel for all."""
    tape = simple(fun, *args)
    return Straight(one_kernel(tape)).run(*leaves(tape, args))


def alike(found: Any, wanted: Any, ulps: float = 64) -> None:
    """Assert that outputs are of the same kinds, dtypes and shapes, and differ by rounding alone."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        a, b = np.asarray(one), np.asarray(other)
        assert (type(one), a.dtype, a.shape) == (type(other), b.dtype, b.shape)
        if a.dtype.kind == "f":
            step = float(np.finfo(a.dtype).eps) * ulps
            size = float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0))
            np.testing.assert_allclose(a, b, rtol=step, atol=step * min(size, 1.0))
        else:
            np.testing.assert_array_equal(a, b)
