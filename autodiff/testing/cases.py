"""One row of a table buys all laws: what a function is, where it is smooth, what it accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import DTypeLike

from autodiff.testing import domains
from autodiff.testing.domains import Domain
from autodiff.testing.law import check_names
from autodiff.testing.layouts import LAYOUTS
from autodiff.testing.properties import laws
from autodiff.testing.shapes import broadcastable_shapes
from autodiff.testing.strategies import FLOATING


@dataclass(frozen=True)
class Case:
    """A row of a table of functions to check.

    Attributes:
        name: the row's name; it also decides what is drawn.
        fun: function of as many arrays as there are domains. What is not an array is fixed by a lambda.
        domain: where each operand lies.
        dtypes: what the operands may be: names for all of them, or one list of names for each.
        shapes: strategy or examples of shapes (of tuples of shapes for several operands); small shapes that broadcast
            together by default.
        zero_size, zero_dim: whether those default shapes include empty arrays, and 0-d arrays and scalars.
        order: how often fun is differentiable: 0, 1 or 2.
        batch: whether fun has a batching rule.
        layouts: memory layouts to try.
        skip: the laws that do not hold, each with the reason.

    Raises:
        ValueError: a skipped law is unknown or has no reason.

    >>> import numpy as np
    >>> Case("tanh", np.tanh).domain
    (Domain(low=-inf, high=inf, low_closed=False, high_closed=False, avoid=(), margin=0.05, hit=(0.0, 1.0), \
imaginary=(-0.9, 0.9), distinct=False),)
    """

    name: str
    fun: Callable[..., Any]
    domain: tuple[Domain, ...] = (domains.real,)
    dtypes: Sequence[DTypeLike] | Sequence[Sequence[DTypeLike]] = FLOATING
    shapes: Any = None
    zero_size: bool = True
    zero_dim: bool = True
    order: int = 2
    batch: bool = True
    layouts: tuple[str, ...] = tuple(LAYOUTS)
    skip: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(self.skip)
        for law, reason in self.skip.items():
            if not reason:
                raise ValueError(f"the case {self.name!r} skips the law {law!r} without a reason; say why it cannot hold")

    def __str__(self) -> str:
        return self.name


def check_case(case: Case, *, max_examples: int | None = None) -> None:
    """Check every law of one row.

    Raises:
        GradientMismatch: a law is broken; the text names the row, the law and the smallest arguments that show it.

    >>> import numpy as np
    >>> check_case(Case("multiply", np.multiply, (domains.real, domains.real)), max_examples=5)
    """
    shapes = case.shapes
    if shapes is None:
        drawn = broadcastable_shapes(len(case.domain), min_dims=not case.zero_dim, min_side=not case.zero_size)
        shapes = drawn.map(lambda each: each[0]) if len(case.domain) == 1 else drawn
    laws(
        case.fun,
        domain=case.domain,
        shapes=shapes,
        dtypes=case.dtypes,
        order=case.order,
        batch=case.batch,
        skip=case.skip,
        layouts=case.layouts,
        scalars=case.zero_dim,
        max_examples=max_examples,
        name=case.name,
    )
