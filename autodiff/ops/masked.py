"""Cotangents of which a part is known to be exactly nothing."""

from __future__ import annotations

from typing import Any

from autodiff.trace.spec import Spec, spec_of


class Masked:
    """A cotangent that counts only where ``mask`` is true.

    What selecting operations (``where``, ``clip``, ``maximum``, boolean indexing, ...) send to a branch stays masked
    through elementwise operations, so that an infinite derivative in the branch that was not taken never meets the
    zero: ``0 * inf`` does not happen. It is turned into an array of zeros and values where elements are mixed.

    Args:
        value: the cotangent; where the mask is false its elements have no meaning.
        mask: boolean; broadcasts to the value's shape.
    """

    __slots__ = ("mask", "value")

    def __init__(self, value: Any, mask: Any) -> None:
        self.value = value
        self.mask = mask

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
