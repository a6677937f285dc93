"""``x[mask]`` where the mask is traced: how many elements that are is no part of a tape, but where they go may be.

``y[mask] = np.sqrt(x[mask])`` is computed for all elements, and written where the mask is true; so are totals.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np

from autodiff.numpy.dispatch import as_operand
from autodiff.ops.operators import BINARY, COMPARISONS, UNARY
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.staging import Body
from autodiff.trace.tape import ordered
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer

TOTALS = {function.__name__: function for function in (np.sum, np.mean, np.any, np.all)}
"""Functions of all elements that take ``where=``."""

ELEMENTWISE = frozenset((np.where, np.clip, np.round, np.real, np.imag, np.nan_to_num))
"""Functions of elements that are no ufuncs."""

DEEP = 4
"""Masks are written again in few operations, as in ``y[x > 0] = np.sqrt(x[x > 0])``."""


class Picked:
    """The elements of an array where a traced mask is true, among the others.

    Attributes:
        whole: all elements; the mask is that of the first axes.
        mask: as it was then.
        refusal: what whoever needs to know how many they are is told.
    """

    __slots__ = ("mask", "refusal", "whole")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, whole: Any, mask: Tracer, refusal: str = "") -> None:
        self.whole = whole
        self.mask = Tracer(mask.primal, mask.recording, mask.slot)
        self.refusal = refusal or unknown_number()

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Say that there is no number of elements."""
        raise ConcretizationError(self.refusal)

    __array__ = __bool__ = __float__ = __getitem__ = __int__ = __iter__ = __len__ = __setitem__ = refuse
    __matmul__ = __rmatmul__ = refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("astype", "copy"):
            return lambda *args: self.computed(lambda whole: getattr(whole, name)(*args), (self,))
        return partial(self.total, TOTALS[name]) if name in TOTALS else self.refuse()

    def rest(self) -> int:
        """How many axes follow those of the mask."""
        return spec_of(self.whole).ndim - self.mask.ndim

    def computed(self, function: Callable[..., Any], operands: Any) -> Picked:
        """A function of elements, of these and of others that are picked by the same mask, or are the same for all."""
        for operand in operands:
            fits = (
                operand.rest() == self.rest() and is_same(operand.mask, self.mask)
                if isinstance(operand, Picked)
                else spec_of(as_operand(operand)).ndim <= self.rest()
            )
            if not fits:
                self.refuse()
        found = function(*(operand.whole if isinstance(operand, Picked) else operand for operand in operands))
        return self.refuse() if isinstance(found, tuple) else Picked(found, self.mask, self.refusal)

    def total(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """A function of all elements."""
        return self.refuse() if args or kwargs or self.rest() else function(self.whole, where=self.mask)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None) -> Any:
        return self.refuse() if method != "__call__" or (out and out[0] is not self) else self.computed(ufunc, inputs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        if function in ELEMENTWISE and not kwargs:
            return self.computed(function, args)
        return self.total(function, *args[1:], **kwargs) if function in TOTALS.values() else self.refuse()


def unknown_number() -> str:
    """What is said of a mask whose number of elements is needed."""
    return (
        f"a boolean mask that is traced picks an unknown number of elements{at_user_line()}; use "
        "np.where(mask, x, 0), or x[mask] = number, whose shapes are known"
    )


def split(key: Any) -> tuple[Tracer, tuple[Any, ...]] | None:
    """The traced mask that a key begins with, and the key of what it picks from; None for others."""
    first, *others = key if isinstance(key, tuple) and key else (key,)
    mask = first.settled() if isinstance(first, Traced) else first
    if not isinstance(mask, Tracer) or mask.dtype.kind != "b":
        return None
    basic = all(part is None or isinstance(part, (int, slice)) for part in others)
    return (mask, (*(slice(None),) * mask.ndim, *others)) if basic else None


def is_same(a: Any, b: Any) -> bool:
    """Whether two masks are computed by the same operations of the same values."""
    if not isinstance(a, Tracer) or not isinstance(b, Tracer):
        return a is b
    if a.recording is not b.recording:
        return False
    return a.slot == b.slot or (isinstance(a.recording, Body) and is_same_slot(a.recording, a.slot, b.slot))


def is_same_slot(body: Body, a: Any, b: Any, depth: int = DEEP) -> bool:
    """The same of two operands of a tape's equations."""
    if a == b or not depth:
        return bool(a == b)
    first, second = (next((one for one in body.equations if slot in one.results), None) for slot in (a, b))
    if first is None or second is None or ordered(first):
        return False
    same = (first.primitive, first.params, len(first.results)) == (second.primitive, second.params, 1)
    pairs = zip(first.operands, second.operands, strict=True)
    return same and all(is_same_slot(body, one, other, depth - 1) for one, other in pairs)


def operator_of(operation: Callable[..., Any], turned: bool = False) -> Callable[..., Any]:
    """A method for one of Python's operators."""

    def apply(self: Picked, *other: Any) -> Picked:
        return self.computed(operation, (*other, self) if turned else (self, *other))

    return apply


for _name, (_, _operation) in (BINARY | COMPARISONS | UNARY).items():
    setattr(Picked, f"__{_name}__", operator_of(_operation))
for _name, (_, _operation) in BINARY.items():
    setattr(Picked, f"__r{_name}__", operator_of(_operation, turned=True))
