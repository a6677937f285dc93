"""All laws of one function at given arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autodiff.testing.draws.literal import literal
from autodiff.testing.lawbook.table import LAWS, Kinks, Law, check_names, chosen_laws
from autodiff.testing.mismatch import Subject, Undecided, judge, name_of
from autodiff.testing.problem import Problem


def check_laws(
    fun: Callable[..., Any],
    args: Sequence[Any],
    *,
    order: int = 2,
    batch: bool = True,
    skip: Collection[str] = (),
    only: Collection[str] | None = None,
    smooth: bool = True,
    kinks: Kinks = "accept",
    name: str | None = None,
) -> None:
    """Check one function at given arguments against every law of `LAWS`.

    Args:
        fun: function of trees of arrays, written in plain NumPy.
        args: its arguments: arrays of any dtype and layout, NumPy and Python scalars, trees of them.
        order: how often to differentiate: 0, 1 or 2.
        batch: whether vmap is expected to work.
        skip: names of laws to leave out.
        only: names of the laws to check; all by default.
        smooth: False where the arguments lie at a kink; the laws that need a numerical derivative are left
            out.
        kinks: "accept" takes any derivative between the one-sided ones; "error" refuses points that have a kink.
        name: what to call fun in messages.

    Raises:
        GradientMismatch: a law is broken. The text has the largest error and the lines that show it again.
        Undecided: a numerical derivative is too inaccurate to judge by.
        ValueError: a law's name is unknown.

    >>> import numpy as np
    >>> check_laws(np.tanh, (np.array([0.5, -1.0]),))
    """
    chosen = chosen_laws(only, skip, kinks)
    check_names((*chosen, *skip))
    check_arguments(args, "check_laws")
    subject = Subject(fun, args, name or name_of(fun))
    for law, reason in examine(subject, chosen, order=order, batch=batch, smooth=smooth).outcomes.items():
        if reason is not None:
            raise Undecided(f"the law {law!r} could not be decided: {reason}")


@dataclass(frozen=True)
class Examination:
    """What became of the laws at one point.

    Attributes:
        problem: the function there.
        outcomes: for each law that applies why it could not be decided, or None where it holds.
    """

    problem: Problem
    outcomes: dict[str, Undecided | None]


def examine(
    subject: Subject,
    laws: Collection[str],
    *,
    order: int,
    batch: bool,
    smooth: bool,
    extreme: bool = False,
    table: Mapping[str, Law] = LAWS,
    staged: bool = True,
) -> Examination:
    """Check the chosen laws of a table at one point."""
    with np.errstate(all="ignore"):
        problem = Problem(subject.fun, subject.args)
        _check_fun_leaves_arguments(problem, subject.title)
        return Examination(
            problem,
            {
                name: judge(
                    name,
                    law.statement,
                    partial(law.check, problem),
                    subject,
                    law.call or f"check_laws(fun, args, only=({name!r},))",
                    staged=staged or not law.by_shapes,
                )
                for name, law in table.items()
                if name in laws and law.applies_to(problem, order, batch, smooth, extreme)
            },
        )


def check_arguments(args: Any, caller: str) -> None:
    """Refuse a lone argument: a list of numbers would otherwise be taken for several."""
    if not isinstance(args, tuple | list):
        raise TypeError(
            f"{caller} takes the arguments as a tuple, and {type(args).__name__} arrived; write (x,) for a single x"
        )


def _check_fun_leaves_arguments(problem: Problem, title: str) -> None:
    before = [np.asarray(leaf).tobytes() for leaf in problem.leaves]
    try:
        problem.value  # noqa: B018  (computed here once, for all laws)
    except Exception as error:
        error.add_note(f"{title} itself raised this, called with plain arrays: args = {literal(problem.args)}")
        raise
    for name, old, leaf in zip(problem.names, before, problem.leaves, strict=True):
        if np.asarray(leaf).tobytes() != old:
            raise ValueError(
                f"{title} itself changes {name} when it is called with plain arrays; no law can be checked "
                "of a function that does. Let it work on a copy"
            )
