"""Cotangents of several results, or tangents of several arguments, as they come: some masked, some missing.

A zero in the place of a missing one, or of what a mask leaves out, could meet an infinite derivative. So what
differentiates a whole function takes them by their forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from autodiff.ops.masked import TRACED, Later, Masked
from autodiff.ops.shape import broadcast_to
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.transforms.gradient import Linearization
from autodiff.transforms.masking import unmasked
from autodiff.transforms.reverse import read_backwards, zero_seeds


class MaskedForm(NamedTuple):
    """An array and a mask, with what :class:`~autodiff.ops.masked.Masked` says of them."""

    clean: bool
    origin: int


Form = str | MaskedForm
"""What a cotangent is made of: nothing (``"none"``), an array (``"plain"``), or an array and a mask."""

Forms = tuple[Form, ...]


def cotangents(at: Linearization, seeds: Sequence[Any]) -> list[Any]:
    """The cotangents of the inputs of a function that was run: arrays, masked ones, or None."""
    pairs = [(entry, ct) for (_, entry), ct in zip(at.outs, seeds, strict=True) if entry is not None and ct is not None]
    found = read_backwards([*pairs, *zero_seeds(at.turns)])
    return [found.get(entry) for entry in at.entries]


def form_of(ct: Any) -> Form:
    """What a cotangent is made of. Masks that would have to be reduced end here: they are rarely of use."""
    if kept(ct):
        return MaskedForm(ct.clean or ct.origin == TRACED, ct.origin)
    return "none" if ct is None else "plain"


def kept(ct: Any) -> bool:
    """Whether the mask of a cotangent goes on into another function, or out of it."""
    return type(ct) is Masked and not (ct.clean and isinstance(ct.source, Later) and ct.source.reduces)


def parts_of(ct: Any) -> tuple[Any, ...]:
    """The parts of a cotangent; a mask has the shape of its array."""
    if not kept(ct):
        return () if ct is None else (unmasked(ct),)
    mask = ct.mask if spec_of(ct.mask).shape == ct.shape else broadcast_to(ct.mask, shape=ct.shape)
    return (unmasked(ct) if ct.origin == TRACED else ct.value), mask


def specs_of(slot: Spec, form: Form) -> tuple[Spec, ...]:
    """The specs of the parts of a cotangent."""
    slot = spec(slot.shape, slot.dtype) if slot.kind == "array" else slot
    return () if form == "none" else (slot,) if form == "plain" else (slot, spec(slot.shape, bool))


def joined(parts: Iterable[Any], forms: Forms) -> tuple[Any, ...]:
    """Cotangents from their parts."""
    remaining = iter(parts)

    def one(form: Form) -> Any:
        if form == "none":
            return None
        value = next(remaining)
        return Masked(value, next(remaining), *form) if isinstance(form, MaskedForm) else value

    return tuple([one(form) for form in forms])
