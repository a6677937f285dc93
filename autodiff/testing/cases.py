"""One row of a table: what a function is, where it is smooth, what it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from autodiff.testing.draws import domains
from autodiff.testing.draws.arguments import places
from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.layouts import LAYOUTS
from autodiff.testing.draws.strategies import FLOATING
from autodiff.testing.lawbook.table import check_names
from autodiff.trace.caching import cached_property
from autodiff.trace.trees.tree import TreeDef

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Case:
    """A function of arrays, and where its derivatives are to be checked.

    Attributes:
        name: what to call it in messages. It also decides what is drawn, so that runs are repeatable.
        fun: function of arrays, written in plain NumPy. What is not an array is fixed by a lambda.
        domain: where the operands lie: one for all, or one for each; and where an argument is a list, a tuple, a
            dictionary or a dataclass of operands, one of these with a domain in each place.
        arity: how many operands; by default as many as domains are given.
        dtypes: what the operands may be: names for all of them, or one tuple of names for each.
        shapes: a list of examples, or a strategy. For one operand of shapes, for several of tuples with one
            shape for each. By default small shapes that broadcast together.
        zero_size: whether the default shapes include those of empty arrays.
        zero_dim: whether the default shapes include those without axes.
        scalars: whether an operand without axes may also be a NumPy or Python scalar.
        layouts: names of the memory layouts to try.
        order: how often fun can be differentiated: 0, 1 or 2.
        batch: whether vmap is expected to work.
        staged: whether it must be possible to record the function by shapes alone. If not, and it looks at values, the
            laws that need that are left out.
        skip: the laws that cannot hold, each with the reason.
        seed: another number draws other arguments.

    Raises:
        ValueError: a skipped law is unknown or has no reason; or there are not as many domains, or tuples of
            dtypes, as operands.
        TypeError: shapes are no list of shapes.

    >>> import numpy as np
    >>> Case("power", np.power, (domains.positive, domains.real)).arity
    2
    """

    name: str
    fun: Callable[..., Any]
    domain: Any = domains.real
    arity: int = 0
    dtypes: Sequence[DTypeLike] | Sequence[Sequence[DTypeLike]] = FLOATING
    shapes: SearchStrategy[Any] | Sequence[Any] | None = None
    zero_size: bool = True
    zero_dim: bool = True
    scalars: bool = True
    layouts: Sequence[str] = tuple(LAYOUTS)
    order: int = 2
    batch: bool = True
    staged: bool = True
    skip: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "arity", self.arity or len(self.each_domain))
        check_names(self.skip)
        _check_number(self, self.each_domain, "domains")
        _check_number(self, self.each_dtypes, "tuples of dtypes")
        _check_shapes(self)
        for law, reason in self.skip.items():
            if not reason:
                raise ValueError(f"the case {self.name!r} skips the law {law!r} without a reason; say why it fails")

    def __str__(self) -> str:
        return self.name

    @cached_property
    def form(self) -> tuple[list[Domain], TreeDef]:
        """The domain of every operand, and the structure of the arguments that are made of them."""
        if isinstance(self.domain, Domain):
            return places((self.domain,) * max(self.arity, 1))
        return places(tuple(self.domain) if isinstance(self.domain, tuple | list) else (self.domain,))

    @property
    def each_domain(self) -> list[Domain]:
        """The domain of every operand."""
        return self.form[0]

    def arguments(self, operands: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of fun that are made of some operands."""
        return tuple(self.form[1].unflatten(operands))

    def of_operands(self, *operands: Any) -> Any:
        """What fun returns for the arguments that are made of some operands."""
        return self.fun(*self.arguments(operands))

    @property
    def each_dtypes(self) -> list[Sequence[DTypeLike]]:
        """The dtypes that every operand may have."""
        given: Sequence[Any] = self.dtypes
        return list(given) if all(isinstance(one, tuple | list) for one in given) else [given] * self.arity


def _check_number(case: Case, each: Sequence[Any], what: str) -> None:
    if len(each) != case.arity:
        raise ValueError(
            f"the case {case.name!r} has {case.arity} operands, and {len(each)} {what} arrived; "
            "give one for all operands, or one for each"
        )


def _check_shapes(case: Case) -> None:
    """Refuse one shape where a list of them should be, and one where each operand needs its own."""
    if case.shapes is None or hasattr(case.shapes, "example"):  # a strategy
        return
    one = "(3,)" if case.arity == 1 else f"({', '.join(['(3,)'] * case.arity)})"
    listed = list(case.shapes) if isinstance(case.shapes, Iterable) else [case.shapes]
    for shape in listed:
        parts = shape if case.arity > 1 and isinstance(shape, tuple | list) else (shape,)
        if len(parts) != case.arity or not all(isinstance(part, tuple | list) for part in parts):
            raise TypeError(f"the case {case.name!r}: {shape!r} is no shape; write shapes=[{one}], a list of examples")
