"""All laws of one function, at corners and at arguments that hypothesis draws to break them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from hypothesis import HealthCheck, Phase, given, seed, settings
from numpy.typing import DTypeLike

from autodiff.testing import domains
from autodiff.testing.cases import Case
from autodiff.testing.checks import examine
from autodiff.testing.domains import Domain
from autodiff.testing.draws import corner_operands, drawn_operands
from autodiff.testing.law import check_names, chosen_laws
from autodiff.testing.layouts import LAYOUTS
from autodiff.testing.mismatch import Subject, Undecided, name_of
from autodiff.testing.operand import Operands
from autodiff.testing.profiles import PROFILES
from autodiff.testing.strategies import FLOATING

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def check_case(case: Case, *, only: Collection[str] | None = None, max_examples: int | None = None) -> None:
    """Try to break every law of derivatives for one row of a table.

    Args:
        case: the row.
        only: names of the laws to check; all that the row does not skip by default.
        max_examples: how many arguments to draw; by default as the hypothesis profile says.

    Raises:
        GradientMismatch: a law is broken; the text has the smallest arguments found that break it.
        Undecided: no arguments were found at which a numerical derivative can be trusted.

    >>> import numpy as np
    >>> from autodiff.testing import domains
    >>> check_case(Case("sqrt", np.sqrt, domains.positive), max_examples=5)
    """
    check_names(only or ())
    chosen = chosen_laws(only, case.skip)
    outcomes: dict[str, list[Undecided | None]] = defaultdict(list)

    def all_laws_hold(sample: Operands) -> None:
        subject = Subject(case.fun, sample.args, case.name)
        found = examine(subject, chosen, order=case.order, batch=case.batch, smooth=sample.smooth)
        for law, reason in found.items():
            outcomes[law].append(reason)

    _repeatably(case.name, _settings(max_examples)(given(drawn_operands(case))(all_laws_hold)))()
    for sample in corner_operands(case):
        all_laws_hold(sample)
    for law, reasons in outcomes.items():
        if all(reasons):
            raise Undecided(f"the law {law!r} could not be decided for {case.name}: {reasons[-1]}")


def laws(
    fun: Callable[..., Any],
    *,
    domain: Domain | Sequence[Domain] = domains.real,
    shapes: SearchStrategy[Any] | Sequence[Any] | None = None,
    dtypes: Sequence[DTypeLike] | Sequence[Sequence[DTypeLike]] = FLOATING,
    arity: int = 0,
    order: int = 2,
    batch: bool = True,
    skip: Collection[str] = (),
    only: Collection[str] | None = None,
    layouts: Sequence[str] = tuple(LAYOUTS),
    scalars: bool = True,
    max_examples: int | None = None,
    name: str | None = None,
) -> None:
    """Try to break every law of derivatives for a function of arrays.

    Args:
        fun: function of one or several arrays, written in plain NumPy.
        domain: where the operands lie: one for all, or one for each.
        shapes: a list of examples, or a strategy. For one operand of shapes, for several of tuples with one
            shape for each. By default small shapes that broadcast together.
        dtypes: what the operands may be: names for all of them, or one tuple of names for each.
        arity: how many operands; by default as many as domains are given.
        order: how often fun can be differentiated: 0, 1 or 2.
        batch: whether vmap is expected to work.
        skip: names of the laws to leave out.
        only: names of the laws to check; all by default.
        layouts: names of the memory layouts to try.
        scalars: whether an operand without axes may also be a NumPy or Python scalar.
        max_examples: how many arguments to draw; by default as the hypothesis profile says.
        name: what to call fun in messages; by default its own name.

    Raises:
        GradientMismatch: a law is broken; the text has the smallest arguments found that break it.
        Undecided: no arguments were found at which a numerical derivative can be trusted.

    >>> import numpy as np
    >>> laws(np.tanh, max_examples=5)
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
        skip=dict.fromkeys(skip, "left out by the caller"),
    )
    check_case(case, only=only, max_examples=max_examples)


def _repeatably(name: str, run: Callable[[], None]) -> Callable[[], None]:
    """Draw the same for the same name, where the profile is repeatable; other rows draw something else."""
    if settings().derandomize or settings.get_current_profile_name() == "default":
        return seed(crc32(name.encode()))(run)
    return run


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
