"""Slices that go into a loop, and results that come out of it, stacked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.ops.join import stack, unstack
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, result_spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import paths
from autodiff.trace.values.arrays import is_array, on_gpu
from autodiff.trace.values.layout import writable
from autodiff.transforms.control.carry import ControlError, array_leaves


def order(length: int, reverse: bool) -> Iterable[int]:
    """The steps in the order in which they are taken."""
    return range(length - 1, -1, -1) if reverse else range(length)


def row_spec(whole: Spec) -> Spec:
    """The spec of one slice along the first axis."""
    return result_spec(whole.shape[1:], whole.dtype)


def rows_of(leaf: Any) -> Sequence[Any]:
    """The slices of an array along its first axis: of a traced one as one operation, whose transpose is one too."""
    return unstack(leaf, axis=-leaf.ndim) if isinstance(leaf, Traced) else leaf  # type: ignore[no-any-return]


def own_row(row: Any) -> Any:
    """A slice that a function may write to, which lies in memory as it lay in its array."""
    if isinstance(row, Tracer):
        return Tracer(row.primal, row.recording, row.slot)  # a write points a handle to a new value
    return writable(row) if isinstance(row, np.ndarray) else row.copy() if is_array(row) else row


def common_length(name: str, xs: Any, length: int | None) -> tuple[list[Any], Any, int]:
    """The leaves of ``xs``, their structure, and how many slices they all have.

    Raises:
        ControlError: if they have different numbers of slices, or there is nothing to tell the number by.
    """
    leaves, structure = array_leaves(name, "xs", xs)
    leaves = [leaf if isinstance(leaf, Traced) or hasattr(leaf, "ndim") else np.asarray(leaf) for leaf in leaves]
    found = [spec_of(leaf).shape[:1] for leaf in leaves]
    listed = ", ".join(f"xs{path} is {spec_of(leaf)!r}" for path, leaf in zip(paths(xs), leaves, strict=True))
    if any(not one for one in found):
        raise ControlError(
            f"{name} takes slices along the first axis of xs, but {listed}{at_user_line()}; numbers have none, "
            "np.asarray makes an array of a list"
        )
    if length is not None and (isinstance(length, bool) or not isinstance(length, (int, np.integer)) or length < 0):
        raise ControlError(f"{name}: length must be an int that is not negative, got {length!r}{at_user_line()}")
    lengths = {one[0] for one in found} | ({int(length)} if length is not None else set())
    if not lengths:
        raise ControlError(
            f"{name} does not know how many steps to take{at_user_line()}; pass "
            f"{'xs or length' if name == 'scan' else 'an array'}"
        )
    if len(lengths) > 1:
        given = f", and length={length}" if length is not None else ""
        raise ControlError(
            f"{name} needs one number of slices, but {listed}{given}{at_user_line()}; make the first axes equally long"
        )
    return leaves, structure, lengths.pop()


class Collected:
    """The results of the steps of a loop, leaf by leaf.

    Args:
        name: the loop, for error texts.
        length: how many steps there are.
    """

    def __init__(self, name: str, length: int) -> None:
        self.name = name
        self.rows: list[Any] = [None] * length
        self.specs: list[tuple[tuple[int, ...], Any]] | None = None

    def add(self, step: int, leaves: Sequence[Any]) -> None:
        """Take note of the results of a step."""
        specs = [(s.shape, s.dtype) for s in map(spec_of, leaves)]
        if self.specs is None:
            self.specs = specs
        if specs != self.specs:
            one = ", ".join(f"{dtype}{list(shape)}" for shape, dtype in self.specs)
            other = ", ".join(f"{dtype}{list(shape)}" for shape, dtype in specs)
            alike = [shape for shape, _ in specs] == [shape for shape, _ in self.specs]
            begin = ", and give init the dtypes that the carry has after a step: 0.0 in place of 0" if alike else ""
            raise ControlError(
                f"{self.name}: the results of all steps are stacked, but one step returned {one}, another {other}"
                f"{at_user_line()}; return the same shapes and dtypes in every step{begin}"
            )
        self.rows[step] = [own_row(leaf) for leaf in leaves]

    def stacked(self) -> list[Any]:
        """One array for each leaf."""
        return [stacked(column) for column in zip(*self.rows, strict=True)]


def stacked(column: Sequence[Any]) -> Any:
    """Values one behind the other along a new first axis."""
    if any(isinstance(value, Traced) or on_gpu(value) for value in column):
        return stack(*column, axis=-spec_of(column[0]).ndim - 1)
    return np.stack(column)
