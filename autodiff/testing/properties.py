"""All laws of one function, at arguments that hypothesis draws to break them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from hypothesis import HealthCheck, Phase, given, seed, settings
from numpy.typing import DTypeLike

from autodiff.testing import domains
from autodiff.testing.checks import examine
from autodiff.testing.domains import Domain
from autodiff.testing.law import LAWS, check_names
from autodiff.testing.layouts import LAYOUTS
from autodiff.testing.mismatch import Undecided
from autodiff.testing.profiles import PROFILES
from autodiff.testing.shapes import Shape, broadcastable_shapes, shape_examples
from autodiff.testing.strategies import FLOATING, Operands, operands

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def laws(
    fun: Callable[..., Any],
    *,
    domain: Domain | Sequence[Domain] = domains.real,
    shapes: SearchStrategy[Any] | Sequence[Any] | None = None,
    dtypes: Sequence[DTypeLike] | Sequence[Sequence[DTypeLike]] = FLOATING,
    arity: int | None = None,
    order: int = 2,
    batch: bool = True,
    skip: Collection[str] = (),
    layouts: Sequence[str] = tuple(LAYOUTS),
    scalars: bool = True,
    max_examples: int | None = None,
    name: str | None = None,
) -> None:
    """Try to break every law of derivatives for a function of arrays.

    Args:
        fun: function of `arity` arrays, written in plain NumPy.
        domain: where the operands lie: one for all, or one for each.
        shapes: a strategy, or a list of examples. For one operand of shapes, for several of tuples of shapes, one for
            each operand. By default small shapes that broadcast together, with 0-d and zero-size ones.
        dtypes: what the operands may be: names for all of them, or one list of names for each.
        arity: how many operands; by default as many as domains are given, or one.
        order: how often to differentiate: 0, 1 or 2.
        batch: whether vmap is expected to work.
        skip: names of the laws to leave out.
        layouts: memory layouts to try.
        scalars: whether a 0-d operand may also be a NumPy or Python scalar.
        max_examples: how many arguments to try; by default as the hypothesis profile says.
        name: what to call fun in messages. It also decides what is drawn, so that runs are repeatable.

    Raises:
        GradientMismatch: a law is broken; the text has the smallest arguments found that break it.
        Undecided: no arguments were found at which a numerical derivative can be trusted.

    >>> import numpy as np
    >>> laws(np.tanh, max_examples=5)
    """
    check_names(skip)
    count = arity or (1 if isinstance(domain, Domain) else len(domain))
    title = name or getattr(fun, "__qualname__", None) or getattr(fun, "__name__", repr(fun))
    drawn = operands(
        for_each(domain, count, Domain),
        _shapes(shapes, count),
        for_each(dtypes, count, list | tuple),
        layouts=layouts,
        scalars=scalars,
    )
    chosen = [law for law in LAWS if law not in skip]
    outcomes: dict[str, list[Undecided | None]] = {}

    def all_laws_hold(sample: Operands) -> None:
        found = examine(fun, sample.args, chosen, order=order, batch=batch, smooth=sample.smooth, name=title)
        for law, reason in found.items():
            outcomes.setdefault(law, []).append(reason)

    run = _settings(max_examples)(given(drawn)(all_laws_hold))
    if settings().derandomize or settings.get_current_profile_name() == "default":
        run = seed(crc32(title.encode()))(run)
    run()
    for law, reasons in outcomes.items():
        if all(reasons):
            raise Undecided(f"the law {law!r} could not be decided for {title} in {len(reasons)} trials: {reasons[-1]}")


def for_each(given: Any, count: int, kind: Any) -> list[Any]:
    """One of `given` for each of `count` operands, where `given` is one for all or already one for each."""
    one_for_all = isinstance(given, kind) if kind is Domain else not all(isinstance(one, kind) for one in given)
    each = [given] * count if one_for_all else list(given)
    if len(each) != count:
        raise ValueError(f"{len(each)} entries arrived for {count} operands: {given!r}; give one, or one for each")
    return each


def _shapes(shapes: Any, count: int) -> SearchStrategy[tuple[Shape, ...]]:
    if shapes is None:
        return broadcastable_shapes(count)
    drawn = shape_examples(shapes)
    return drawn.map(lambda shape: (shape,)) if count == 1 else drawn


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
