"""Cotangents and tangents of which a part is known to be exactly nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.spec import Spec, spec_of

DEEP = 8
"""A mask waits for at most so many others: what waits keeps its sources alive."""


SELECTION, DIRECTION, TRACED = range(3)
"""What made a mask: an operation that selects; zeros of a direction or unit vector; zeros of a direction that is itself
traced, with respect to which somebody may differentiate. Of what several made, the last one counts."""


class Later:
    """A mask that is computed when somebody asks for it; most are never asked for.

    Args:
        function: computes it from other masks.
        sources: these, which may wait themselves.
        reduces: whether that goes through all elements, as a sum does, and not just element by element.
    """

    __slots__ = ("depth", "found", "function", "reduces", "sources")

    def __init__(self, function: Callable[..., Any], *sources: Any, reduces: bool = False) -> None:
        self.reduces: bool = reduces
        self.depth: int = 1
        for source in sources:
            if isinstance(source, Later):
                self.reduces = self.reduces or source.reduces
                self.depth = max(self.depth, 1 + source.depth)
        self.function = function
        self.sources = sources
        self.found: Any = None
        if self.depth > DEEP:
            self.mask()

    def mask(self) -> Any:
        """The mask."""
        if self.sources:
            self.found = self.function(*map(mask_of, self.sources))
            self.sources, self.depth = (), 0
        return self.found


def mask_of(source: Any) -> Any:
    """A mask that may have to be computed."""
    return source.mask() if isinstance(source, Later) else source


class Masked:
    """A cotangent or tangent that counts only where ``mask`` is true.

    What selecting operations (``where``, ``clip``, ``maximum``, boolean indexing, ...) send to a branch stays masked
    through elementwise operations, so that an infinite derivative in the branch that was not taken never meets the
    zero: ``0 * inf`` does not happen. It is turned into an array of zeros and values where elements are mixed. Unit
    vectors, and directions with zeros, are masked from the start; these masks go through sums as well.

    Args:
        value: the cotangent; where the mask is false its elements have no meaning.
        mask: boolean, or a :class:`Later`; broadcasts to the value's shape.
        clean: whether the elements where the mask is false are zeros.
        origin: what made the mask: ``SELECTION``, ``DIRECTION`` or ``TRACED``.
    """

    __slots__ = ("clean", "origin", "source", "value")

    def __init__(self, value: Any, mask: Any, clean: bool = False, origin: int = SELECTION) -> None:
        self.value = value
        self.source = mask
        self.clean = clean
        self.origin = origin

    @property
    def mask(self) -> Any:
        """Where it counts."""
        return mask_of(self.source)

    @property
    def shape(self) -> tuple[int, ...]:
        return spec_of(self.value).shape

    @property
    def dtype(self) -> Any:
        return spec_of(self.value).dtype

    @property
    def spec(self) -> Spec:
        return spec_of(self.value)


def masked(g: Any, mask: Any) -> Masked:
    """The cotangent ``g`` where ``mask`` is true, and exactly nothing elsewhere."""
    return Masked(g, mask)
