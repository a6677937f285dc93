"""What is known of values on a tape beside their dependence: constants, whose places of zeros and indices count."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.spec import Spec
from autodiff.transforms.sparse.dependence import Dependence


class Known(NamedTuple):
    """A value that does not depend on the inputs, and is known.

    Attributes:
        value: the array or number.
        sources: the constants of the tape that it was computed from, by their slots.
    """

    value: Any
    sources: frozenset[int] = frozenset()


class Unknown(NamedTuple):
    """A value that does not depend on the inputs, of which only the spec is known."""

    spec: Spec


Value = Dependence | Known | Unknown


class Evidence:
    """What a pattern was derived from besides the operations: constants whose values were looked at.

    Attributes:
        exact: slots of constants that were looked at.
        zeros: slots of constants of which only the zeros were looked at.
    """

    def __init__(self) -> None:
        self.exact: set[int] = set()
        self.zeros: set[int] = set()

    def value(self, known: Known) -> Any:
        """The value itself, such as an index."""
        self.exact |= known.sources
        return known.value

    def nonzeros(self, known: Known, slot: Any) -> Any:
        """Where a value is not zero; it stands in a slot of the tape, if it is a constant itself."""
        (self.zeros if known.sources == {slot} else self.exact).update(known.sources)
        return np.asarray(known.value) != 0

    def of(self, constants: dict[int, Any]) -> list[tuple[int, bool, Any]]:
        """What has to be the same where the pattern is to hold."""
        found = [(slot, True, np.array(constants[slot])) for slot in sorted(self.exact)]
        return found + [(slot, False, np.asarray(constants[slot]) != 0) for slot in sorted(self.zeros - self.exact)]


def same_evidence(evidence: list[tuple[int, bool, Any]], constants: dict[int, Any]) -> bool:
    """Whether constants agree with what a pattern was derived from."""
    return all(
        np.array_equal(constants[slot] if exact else np.asarray(constants[slot]) != 0, seen)
        for slot, exact, seen in evidence
    )
