"""Gradient checks at given arguments, of any order, in either mode."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from autodiff.testing.agreement import RELATIVE
from autodiff.testing.checks import check_arguments
from autodiff.testing.derivative_laws import forward, reverse
from autodiff.testing.keeping_laws import dtype, precision
from autodiff.testing.mismatch import GradientMismatch, Undecided, Violation
from autodiff.testing.problem import Problem

MODES = {"fwd": forward, "rev": reverse}


def check_grads(
    fun: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Collection[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
) -> None:
    """Check the derivatives of a function up to an order against numerical ones, in all combinations of modes.

    Everything is deterministic, and derivatives are compared in double precision whatever dtype the arguments have;
    those in single precision are then compared with them.

    Args:
        fun: function of trees of arrays, written in plain NumPy.
        args: its arguments, away from kinks. Leaves of integer dtypes are not differentiated.
        order: the highest order of derivative.
        modes: "fwd", "rev" or both.
        atol: allowed absolute error; 0 by default.
        rtol: allowed error relative to the largest element of value and derivative; 1e-7 by default.

    Raises:
        GradientMismatch: a derivative differs.
        Undecided: the numerical derivatives are too inaccurate to judge by.
        ValueError: a mode is unknown.

    >>> import numpy as np
    >>> check_grads(lambda p: np.sin(p["x"]) * p["y"], ({"x": np.array([0.5, 2.0]), "y": 3.0},))
    """
    check_arguments(args, "check_grads")
    unknown = set(modes) - set(MODES)
    if unknown or not modes:
        raise ValueError(f"modes are 'fwd' and 'rev', and {tuple(modes)!r} arrived; give at least one of the two")
    tolerances = {"rtol": RELATIVE if rtol is None else rtol, "atol": 0.0 if atol is None else atol}
    with np.errstate(all="ignore"):
        problem = Problem(fun, args)
        _check_order(problem.double, "", order, modes, tolerances, problem)
        for check in (dtype, precision):
            _judged(check.__name__, check, problem, problem)


def _check_order(
    problem: Problem, path: str, order: int, modes: Collection[str], tolerances: dict[str, float], whole: Problem
) -> None:
    if order < 1 or not problem.differentiable:
        return
    for mode in modes:
        _judged(f"{MODES[mode].__name__}{path}", lambda one, mode=mode: MODES[mode](one, **tolerances), problem, whole)
    for mode in modes:
        inner = problem.pushed if mode == "fwd" else problem.pulled
        _check_order(inner, f" over {MODES[mode].__name__}{path}", order - 1, modes, tolerances, whole)


def _judged(name: str, check: Callable[[Problem], None], problem: Problem, whole: Problem) -> None:
    try:
        check(problem)
    except Undecided as reason:
        raise Undecided(f"{name} mode could not be judged: {reason}") from None
    except Violation as violation:
        title = getattr(whole.fun, "__name__", repr(whole.fun))
        statement = f"derivatives in {name} mode are the numerical ones"
        raise GradientMismatch(name, statement, str(violation), title, whole.fun, whole.args) from None
