"""On which inputs each element of a value depends: an array of the numbers of sets, and the sets as rows of a matrix.

What moves elements moves their numbers, elements that meet have the union of their sets. Values that are used
everywhere have one set, of which only the number is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from autodiff.trace.failures.classes import DifferentiationError

MOST = 2**27
"""Patterns with more entries than this are refused: their lists of places alone would take gigabytes."""

Shape = tuple[int, ...]


class Dependence(NamedTuple):
    """The inputs on which each element of a value depends.

    Attributes:
        numbers: for each element the number of its set. 0 is the empty set.
        sets: a boolean matrix in rows: a row for each set, a column for each input element.
    """

    numbers: Any
    sets: Any

    def moved(self, function: Callable[[Any], Any]) -> Dependence:
        """What a function gives that only moves elements, repeats them, or puts zeros between them."""
        return Dependence(np.asarray(function(self.numbers)), self.sets)

    def summed(self, targets: Any, shape: Shape) -> Dependence:
        """The value of a shape to each of whose elements those are added that have its place as their target.

        Args:
            targets: places in the flattened result, broadcast against the numbers; -1 for elements that are dropped.
            shape: of the result.
        """
        targets, numbers = (part.ravel() for part in np.broadcast_arrays(targets, self.numbers))
        counted = (numbers > 0) & (targets >= 0)
        size = int(np.prod(shape))
        chosen = matrix_of(targets[counted], numbers[counted], (size, self.sets.shape[0]))
        places = np.flatnonzero(np.diff(chosen.indptr))
        found = np.zeros(size, np.intp)
        found[places] = np.arange(1, places.size + 1)
        lengths = np.diff(self.sets.indptr)
        check_count(int(lengths[chosen.indices].sum()))
        return Dependence(found.reshape(shape), with_empty(chosen[places] @ self.sets))

    def along(self, axes: Sequence[int], keep: bool) -> Dependence:
        """The union along axes, which are kept with the length 1, or disappear."""
        shape = self.numbers.shape
        ndim = len(shape)
        gone = {axis % ndim for axis in axes}
        kept = tuple(1 if k in gone else length for k, length in enumerate(shape))
        targets = np.arange(int(np.prod(kept))).reshape(kept)
        final = kept if keep else tuple(length for k, length in enumerate(shape) if k not in gone)
        return self.summed(targets, final)

    def spread(self, shape: Shape) -> Dependence:
        """The same, broadcast to a shape."""
        return Dependence(np.broadcast_to(self.numbers, shape), self.sets)

    def everywhere(self, shape: Shape) -> Dependence:
        """A value of a shape each of whose elements depends on all that any element of this one does."""
        return self.along(range(self.numbers.ndim), False).spread(shape)


def inputs(sizes: Sequence[Shape]) -> list[Dependence]:
    """Inputs of these shapes: each element depends on itself."""
    counts = [int(np.prod(shape)) for shape in sizes]
    sets = with_empty(scipy.sparse.eye_array(sum(counts), dtype=bool, format="csr"))
    starts = np.cumsum([1, *counts])
    return [
        Dependence(np.arange(start, start + count).reshape(shape), sets)
        for start, count, shape in zip(starts, counts, sizes, strict=False)
    ]


def with_empty(sets: Any) -> Any:
    """Sets with the empty one as the first."""
    sets = scipy.sparse.csr_array(sets)
    return scipy.sparse.csr_array(
        (sets.data, sets.indices, np.concatenate([[0], sets.indptr])), (sets.shape[0] + 1, sets.shape[1])
    )


def matrix_of(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """A boolean matrix that is true at places; places may occur twice."""
    return scipy.sparse.csr_array((np.ones(rows.size, bool), (rows, columns)), shape, dtype=bool)


class TooManyError(Exception):
    """There would be so many entries that the matrix is not sparse."""

    def refusal(self, what: str) -> DifferentiationError:
        """What the user is told; ``what`` gives so many."""
        return DifferentiationError(
            f"{what} gives a pattern of {self.args[0]} entries, more than {MOST}: the derivative is not sparse. Leave "
            "sparse=True away, or ask for products alone, by jvp, vjp or hvp"
        )


def check_count(count: int) -> None:
    """Refuse what would have too many entries."""
    if count > MOST:
        raise TooManyError(count)


def on_one_table(parts: Sequence[Dependence]) -> tuple[list[Any], Any]:
    """The numbers of several values in one matrix of sets."""
    tables: list[Any] = []
    starts: dict[int, int] = {}
    rows = 1
    for part in parts:
        if id(part.sets) not in starts:
            starts[id(part.sets)] = rows - 1
            rows += part.sets.shape[0] - 1
            tables.append(part.sets)
    if len(tables) == 1:
        return [part.numbers for part in parts], tables[0]
    numbers = [np.where(part.numbers > 0, part.numbers + starts[id(part.sets)], 0) for part in parts]
    return numbers, scipy.sparse.vstack([tables[0], *(table[1:] for table in tables[1:])], format="csr")


def met(parts: Sequence[Dependence], shape: Shape) -> Dependence:
    """The value of a shape to which parts are broadcast, and in which what meets depends on the sets of all."""
    found = parts[0].spread(shape)
    for part in parts[1:]:
        found = both(found, part.spread(shape))
    return found


def both(first: Dependence, second: Dependence) -> Dependence:
    """Element by element the union of the sets of two values of one shape."""
    if first.sets is second.sets and np.array_equal(first.numbers, second.numbers):
        return first
    a, b = first.numbers.ravel(), second.numbers.ravel()
    if not a.any() or not b.any():
        return second if not a.any() else first
    width = second.sets.shape[0]
    pairs, places = np.unique(np.concatenate([[0], a * width + b]), return_inverse=True)
    left, right = np.divmod(pairs, width)
    check_count(int(sum(np.diff(s.indptr)[k].sum() for s, k in ((first.sets, left), (second.sets, right)))))
    return Dependence(places[1:].reshape(first.numbers.shape), first.sets[left] + second.sets[right])
