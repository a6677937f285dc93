"""All laws of one function, at corners and at arguments that hypothesis draws to break them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any
from zlib import crc32

from hypothesis import HealthCheck, Phase, example, given, settings, target
from hypothesis import seed as seeded
from hypothesis.errors import Flaky
from numpy.typing import DTypeLike

from autodiff.testing.cases import Case
from autodiff.testing.draws import domains
from autodiff.testing.draws.layouts import LAYOUTS
from autodiff.testing.draws.of_case import drawn_operands, explicit_operands, fixed_operands
from autodiff.testing.draws.operand import Operands
from autodiff.testing.draws.profiles import PROFILES
from autodiff.testing.draws.strategies import FLOATING
from autodiff.testing.lawbook.table import Kinks, check_names, chosen_laws
from autodiff.testing.mismatch import DIFFERENT, GradientMismatch, name_of
from autodiff.testing.session import SESSION
from autodiff.testing.summary import Summary
from autodiff.testing.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def check_case(
    case: Case, *, only: Collection[str] | None = None, kinks: Kinks = "accept", max_examples: int | None = None
) -> Summary:
    """Try to break every law of derivatives for one row of a table.

    Args:
        case: the row.
        only: names of the laws to check; all that the row does not skip by default.
        kinks: "accept" takes any derivative between the one-sided ones; "error" refuses functions that have kinks.
        max_examples: how many arguments to draw; by default as the hypothesis profile says.

    Returns:
        A summary: what was checked, and what could not be decided.

    Raises:
        GradientMismatch: a law is broken; the message has the smallest arguments found that break it.
        Undecided: no arguments were found at which a numerical derivative is reliable.

    >>> import numpy as np
    >>> from autodiff.testing import domains
    >>> check_case(Case("sqrt", np.sqrt, domains.positive), max_examples=5).nowhere_decided
    []
    """
    check_names(only or ())
    trial = Trial(case, chosen_laws(only, case.skip, kinks))
    return run(trial, max_examples)


def run(trial: Trial, max_examples: int | None, more: Iterable[Operands] = ()) -> Summary:
    """Check the laws of a trial at arguments that hypothesis draws, at those that are always tried, and at more."""
    case = trial.case if trial.case.seed else replace(trial.case, seed=SESSION.seed)

    def all_laws_hold(sample: Operands) -> None:
        target(trial.check(sample), label="largest error, as a part of what is allowed")

    chosen = _settings(max_examples or SESSION.examples)
    test = given(drawn_operands(case))(all_laws_hold)
    for sample in explicit_operands(case):
        test = example(sample)(test)
    try:
        _repeatably(case, chosen(test))()
    except Flaky as found:
        raise _not_again(found) from None
    for sample in chain(fixed_operands(case), more):
        trial.check_smaller(sample)
    trial.check_decided()
    SESSION.add(trial.summary)
    return trial.summary


def laws(
    fun: Callable[..., Any],
    *,
    domain: Any = domains.real,
    shapes: SearchStrategy[Any] | Sequence[Any] | None = None,
    dtypes: Sequence[DTypeLike] | Sequence[Sequence[DTypeLike]] = FLOATING,
    arity: int = 0,
    order: int = 2,
    batch: bool = True,
    skip: Collection[str] = (),
    only: Collection[str] | None = None,
    layouts: Sequence[str] = tuple(LAYOUTS),
    scalars: bool = True,
    kinks: Kinks = "accept",
    max_examples: int | None = None,
    seed: int = 0,
    name: str | None = None,
) -> Summary:
    """Search for arguments at which the derivatives of a function break one of the laws.

    Args:
        fun: function of one or several arrays, written in plain NumPy.
        domain: the domain of the arguments: one for all, or a tuple with one for each. For an argument that is a list,
            a tuple, a dictionary or a dataclass of arrays, the same with a domain for each leaf: `{"w": domains.real}`.
        shapes: a list of examples, or a hypothesis strategy, of shapes; for several arguments, of tuples with one
            shape for each. By default small shapes that broadcast together.
        dtypes: names of dtypes for all arguments, or one tuple of names for each.
        arity: the number of arguments; by default the number of domains.
        order: how often fun can be differentiated: 0, 1 or 2.
        batch: whether vmap is expected to work.
        skip: names of laws to skip.
        only: names of laws to check; all by default.
        layouts: names of the memory layouts to try.
        scalars: whether an argument without axes may also be a NumPy or Python scalar.
        kinks: "accept" allows any derivative between the one-sided ones; "error" refuses functions with kinks.
        max_examples: how many arguments to draw; by default that of the hypothesis profile.
        seed: another seed draws other arguments.
        name: the name of fun in messages; by default its own name.

    Returns:
        What was tried, and what could not be decided.

    Raises:
        GradientMismatch: a law is broken; the text has the smallest arguments found that break it.
        Undecided: no arguments were found at which a numerical derivative can be trusted.

    >>> import numpy as np
    >>> laws(np.tanh, max_examples=5).kinked
    0
    """
    case = Case(
        name or name_of(fun),
        fun,
        domain,
        arity,
        dtypes,
        shapes,
        scalars=scalars,
        layouts=layouts,
        order=order,
        batch=batch,
        staged=False,
        skip=dict.fromkeys(skip, "left out by the caller"),
        seed=seed,
    )
    return check_case(case, only=only, kinks=kinks, max_examples=max_examples)


def _repeatably(case: Case, run: Callable[[], None]) -> Callable[[], None]:
    """Draw the same for the same name and seed, where the profile is repeatable; other rows draw something else."""
    if case.seed or settings().derandomize or settings.get_current_profile_name() == "default":
        return seeded(crc32(case.name.encode()) + case.seed)(run)
    return run


def _not_again(found: Flaky) -> Exception:
    """The law that was broken at arguments at which it held when hypothesis tried them again."""
    broken = (one for one in getattr(found, "exceptions", ()) if isinstance(one, GradientMismatch))
    return next((one.with_cause(DIFFERENT) for one in broken), found)


def _settings(max_examples: int | None) -> settings:
    """The current hypothesis profile; a repeatable one where none was chosen."""
    chosen = PROFILES["ci"] if settings.get_current_profile_name() == "default" else settings()
    return settings(
        chosen,
        max_examples=max_examples or chosen.max_examples,
        deadline=None,
        report_multiple_bugs=False,
        phases=[phase for phase in chosen.phases if phase is not Phase.explain],
        suppress_health_check=list(HealthCheck),
    )
