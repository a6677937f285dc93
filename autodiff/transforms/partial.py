"""Cotangents of several results as they come: some masked, some missing.

A zero in the place of a missing one, or of what a mask leaves out, could meet an infinite derivative. So what reads a
whole function backwards takes cotangents by their forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from autodiff.ops.masked import Masked
from autodiff.transforms.gradient import Linearization
from autodiff.transforms.reverse import read_backwards

Forms = tuple[str, ...]
"""What cotangents are made of: ``"none"``, ``"plain"`` (an array) or ``"masked"`` (an array and a mask)."""

PARTS = {"none": 0, "plain": 1, "masked": 2}


def cotangents(at: Linearization, seeds: Sequence[Any]) -> list[Any]:
    """The cotangents of the inputs of a function that was run: arrays, masked ones, or None."""
    pairs = [(entry, ct) for (_, entry), ct in zip(at.outs, seeds, strict=True) if entry is not None and ct is not None]
    found = read_backwards(pairs)
    return [found.get(entry) for entry in at.entries]


def form_of(ct: Any) -> str:
    """What a cotangent is made of."""
    return "none" if ct is None else "masked" if type(ct) is Masked else "plain"


def parts_of(ct: Any) -> tuple[Any, ...]:
    """The parts of a cotangent."""
    return () if ct is None else (ct.value, ct.mask) if type(ct) is Masked else (ct,)


def joined(parts: Iterable[Any], forms: Forms) -> tuple[Any, ...]:
    """Cotangents from their parts."""
    remaining = iter(parts)

    def one(form: str) -> Any:
        if form == "none":
            return None
        value = next(remaining)
        return Masked(value, next(remaining)) if form == "masked" else value

    return tuple([one(form) for form in forms])
