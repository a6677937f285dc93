"""`fuzz(operations=[...])`: operations of users in random programs, with the library's, under every transformation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from autodiff.testing.fuzz.drawing import SIZES
from autodiff.testing.fuzz.fuzzing import Plan, fuzz_one
from autodiff.testing.fuzz.generate import calls, generate
from autodiff.testing.fuzz.modes import OPERATIONS
from autodiff.testing.fuzz.operations import Operation, named
from autodiff.testing.fuzz.report import Mismatch, Report
from autodiff.testing.fuzz.shrinking import TRIALS
from autodiff.testing.session import SESSION

SEEDS = 1_000_000
"""Programs of one seed: the number of a program is seed * SEEDS + its place."""


class ProgramMismatch(AssertionError):
    """A random program that does not do the same under a transformation, or breaks a law of derivatives.

    Attributes:
        mismatch: what differs, where.
        program: a file that shows it again.
    """

    def __init__(self, mismatch: Mismatch) -> None:
        super().__init__(str(mismatch))
        self.mismatch = mismatch
        self.program = mismatch.script


def fuzz(
    operations: Iterable[Operation | Callable[..., Any]],
    *,
    programs: int = 100,
    draws: int = 4,
    seed: int = 0,
    size: str = "small",
    backend: str = "numpy",
    skip: Collection[str] = (),
    trials: int = TRIALS,
) -> Report:
    """Try to break operations of your own in random programs: among those of the library, under its transformations.

    Each program calls some of the operations on what it has computed, and goes on with what they return: in loops,
    branches, batches and checkpointed functions too, on arrays of several shapes, layouts and dtypes, with empty,
    infinite and equal elements among them. It is run as it is and by way of `jit`, `vmap`, a tape, `checkpoint`,
    Variables; so are its gradient, its tangent, the batch of its gradient, its curvature; and its derivatives are
    compared with differences. What does not agree is shrunk to a few lines.

    Args:
        operations: functions of one to three arrays whose shapes broadcast, defined on the whole line; an `Operation`
            for others, or to say where they are defined.
        programs: how many programs.
        draws: how many draws of arguments for each of them.
        seed: another number makes other programs.
        size: how long axes are: "small", "edges" (those of kernels) or "large".
        backend: that of `jit`; "" for kernels, which take time to compile.
        skip: names of what to leave out, such as "tangent" for a rule that is not linear in the cotangent: "value",
            "gradient", "compiled gradient", "tangent", "compiled tangent", "batch", "compiled batch",
            "batch of gradient", "curvature", "tape", "checkpoint", "variables", "differences", "second differences".
        trials: how many smaller programs are tried after a mismatch.

    Returns:
        How many checks of each kind ended in which way; its `table()` is a text.

    Raises:
        ProgramMismatch: with the program, shrunk, as a file that shows it again.
        ValueError: an operation takes nothing that programs have, or `skip` has an unknown name.

    >>> import numpy as np
    >>> from autodiff import custom_vjp
    >>> @custom_vjp
    ... def cube(x):
    ...     return x**3
    >>> cube.defvjp(lambda x: (x**3, x), lambda x, g: (3 * x * x * g,))
    >>> fuzz(operations=[cube], programs=3).mismatches
    []
    """
    own = named(operations)
    check(own, size, skip)
    plan = Plan(draws, size, True, trials, backend, own, tuple(skip))
    whole, called = Report(), set[str]()
    for number in range((seed + SESSION.seed) * SEEDS, (seed + SESSION.seed) * SEEDS + programs):
        found = fuzz_one(number, plan)
        if found.mismatches:
            raise ProgramMismatch(found.mismatches[0])
        called |= calls(generate(number, own).main, own)
        whole.add(found)
    for name in own.keys() - called:
        raise ValueError(f"none of {programs} programs calls {name}: {refusal(own[name])}")
    return whole


def check(own: dict[str, Operation], size: str, skip: Collection[str]) -> None:
    """Refuse arguments that would leave something out in silence."""
    if not own:
        raise ValueError("there are no operations; python -m autodiff.testing.fuzz tries those of the library")
    if size not in SIZES:
        raise ValueError(f"size is one of {', '.join(SIZES)}, and {size!r} arrived")
    unknown = sorted(set(skip) - set(OPERATIONS))
    if unknown:
        raise ValueError(f"there is nothing named {', '.join(map(repr, unknown))}; there is {', '.join(OPERATIONS)}")


def refusal(operation: Operation) -> str:
    """Why programs may have no use for an operation."""
    try:
        operation.fun(*(np.ones(3) for _ in range(operation.arity)))
    except Exception as error:  # whatever it says
        return f"called with arrays of shape (3,) it raised {type(error).__name__}: {error}"
    return (
        "what it returns is no array or number that most programs could go on with; let it return one, of moderate size"
    )
