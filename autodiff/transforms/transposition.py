"""The transpose of a linear function, by reading it backwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.errors import RuleError
from autodiff.trace.spec import Spec
from autodiff.trace.values.arrays import zeros
from autodiff.transforms.gradient import Linearization, own
from autodiff.transforms.reverse import read_backwards

TRUSTED = {"checkpoint", "scan", "switch", "while_loop", "while_loop_backwards"}
"""Operations that keep their operands because they run tapes again: what these do to them is not looked into."""


class Transposed:
    """A linear function that has run once at zero, ready to be read backwards.

    Args:
        name: whose function it is, for error texts.
        fun: ``fun(*vectors)`` returns ``(results, aux)``; results is a tuple of values or None. It must be linear.
        inputs: specs of the vectors.
        beside: for each of them a value beside which it lies.

    Attributes:
        aux: what the function returned beside its results.
    """

    __slots__ = ("at", "aux", "name")

    def __init__(
        self, name: str, fun: Callable[..., tuple[Any, Any]], inputs: Sequence[Spec], beside: Sequence[Any]
    ) -> None:
        self.name = name
        with np.errstate(all="ignore"):
            at = tuple(zeros(s, like)[()] for s, like in zip(inputs, beside, strict=True))
            self.at = Linearization(name, fun, at, has_aux=True)
        self.aux = self.at.aux

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        """The vectors' cotangents from those of the results that are not None."""
        seeds = [(entry, ct) for (_, entry), ct in zip(self.at.outs, cotangents, strict=True) if entry is not None]
        with np.errstate(all="ignore"):
            found = read_backwards(seeds, visit=self.check_linear)
            entries = zip(self.at.entries, self.at.leaves, strict=True)
            return [own(found.get(entry), entry.spec, leaf) for entry, leaf in entries]

    def check_linear(self, entry: Any, _: Any) -> None:
        """Refuse an operation whose derivative depends on the very operands that are differentiated."""
        link = entry.link
        if link.special or link.primitive.name in TRUSTED:
            return
        if link.primitive.family == "multilinear" and len(link.positions) == 1:  # einsum keeps all of its operands
            return
        if link.keeps_out or any(position in link.kept for position in link.positions) or -1 in link.kept:
            raise RuleError(
                f"{self.name} must be linear, so that its transpose can be derived, but it applies "
                f"{link.primitive.name} to what it must be linear in. Make it linear, or give the function a rule for "
                "the other mode, with custom_jvp for forward mode or custom_vjp for reverse mode."
            )
