"""Tapes before and after a pass, run and compared."""

from typing import Any

import numpy as np

from autodiff import make_tape
from autodiff.backends.passes.memory.sharing import keep_apart
from autodiff.backends.reference import run_tape
from autodiff.trace.tape import Tape, check_tape
from autodiff.trace.trees.tree import flatten

SPECIALS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, -2.5, 0.1)


def specials(shape: tuple[int, ...], dtype: Any = np.float64, shift: int = 0) -> np.ndarray:
    """An array of zeros of both signs, infinities, NaN and a few numbers."""
    return np.resize(np.roll(SPECIALS, shift), shape).astype(dtype)


def names(tape: Tape) -> list[str]:
    """What the operations of a tape are called."""
    return [equation.primitive.name for equation in tape.equations]


def run(tape: Tape, args: tuple[Any, ...]) -> list[Any]:
    """The outputs for trees of arguments."""
    with np.errstate(all="ignore"):
        return run_tape(tape, flatten(args)[0])


def same_bits(one: Any, other: Any) -> bool:
    """Whether type, dtype, shape and bits are the same, but for the payload of NaN."""
    a, b = np.asarray(one), np.asarray(other)
    if type(one) is not type(other) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    parts = zip((a.real, a.imag), (b.real, b.imag), strict=True)
    return all(
        np.array_equal(p, q, equal_nan=True) and np.array_equal(np.signbit(p) & (p == p), np.signbit(q) & (q == q))
        for p, q in parts
    )


def ulps(one: Any, other: Any) -> float:
    """The largest distance in units in the last place; infinite where one is finite and the other one is not."""
    a, b = np.atleast_1d(np.asarray(one)), np.atleast_1d(np.asarray(other))
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    with np.errstate(all="ignore"):
        far = np.abs(a.astype(np.longdouble) - b) / np.spacing(np.maximum(np.abs(a), np.abs(b)))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return float(np.where(same, 0, np.where(np.isfinite(far), far, np.inf)).max(initial=0))


def simpler(pass_: Any, fun: Any, *args: Any) -> Tape:
    """The tape of a function after a pass that keeps every bit: checked, and run beside the old one."""
    tape = make_tape(fun)(*args)
    after = keep_apart(tape, pass_(tape))
    check_tape(after)
    assert after.output_specs == tape.output_specs
    assert pass_(pass_(tape)) == pass_(tape), f"a second time the pass finds more:\n{after}"
    for one, other in zip(run(tape, args), run(after, args), strict=True):
        assert same_bits(one, other), f"{one!r} became {other!r}:\n{tape}\n{after}"
    return pass_(tape)
