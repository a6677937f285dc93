"""Gradient checks at given arguments, of any order, in either mode."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from autodiff.testing.checks import check_arguments
from autodiff.testing.lawbook.agreement import RELATIVE
from autodiff.testing.lawbook.derivatives import forward, reverse
from autodiff.testing.lawbook.keeping import dtype, precision
from autodiff.testing.mismatch import Subject, Undecided, judge, name_of
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
    """Check derivatives up to an order against numerical ones, in all combinations of modes.

    Everything is deterministic, and derivatives are compared in double precision whatever dtype the arguments
    have; those in single precision are then compared with them.

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
    subject = Subject(fun, args, name_of(fun))
    call = f"check_grads(fun, args, order={order}, modes={tuple(modes)!r}, atol={atol!r}, rtol={rtol!r})"
    tolerances = {"rtol": RELATIVE if rtol is None else rtol, "atol": 0.0 if atol is None else atol}
    with np.errstate(all="ignore"):
        problem = Problem(fun, args)
        for name, check in (*_derivatives(problem.double, order, tuple(modes), tolerances), *_types(problem)):
            reason = judge(name, "derivatives are the numerical ones", check, subject, call)
            if reason is not None:
                raise Undecided(f"{name} mode could not be judged: {reason}")


def _derivatives(
    problem: Problem, order: int, modes: tuple[str, ...], tolerances: dict[str, float], outer: str = ""
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every combination of modes up to an order, innermost mode last in its name, as a name and a check."""
    if order < 1 or not problem.differentiable:
        return
    for mode in modes:
        name = f"{MODES[mode].__name__}{outer}"
        yield name, partial(MODES[mode], problem, **tolerances)
        derivative = problem.pushed if mode == "fwd" else problem.pulled
        yield from _derivatives(derivative, order - 1, modes, tolerances, f" over {name}")


def _types(problem: Problem) -> Iterator[tuple[str, Callable[[], None]]]:
    if problem.differentiable:
        yield "dtype", partial(dtype, problem)
        yield "precision", partial(precision, problem)
