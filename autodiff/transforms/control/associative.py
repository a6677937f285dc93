"""``associative_scan``: running results of an associative operation, in a number of steps that is logarithmic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.ops.index import slice_of
from autodiff.ops.join import joined, piece, stack
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import TreeDef, flatten, paths
from autodiff.transforms.control.carry import ControlError, array_leaves
from autodiff.transforms.control.values import conformed, settled
from autodiff.transforms.custom.arguments import place_of

WHOLE = (None, None, None)


def associative_scan(fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """The running results x0, fn(x0, x1), fn(fn(x0, x1), x2), ... of an associative operation.

    It takes about 2 log2(n) calls, each on many elements at once, in place of n. So results differ from those of a loop
    by rounding errors, and as a whole if ``fn`` is not associative. It is made of slices and joins: all derivatives and
    batches are those of ``fn``.

    Args:
        fn: ``fn(a, b)`` of two trees like ``elems`` with any number of elements along the axis, each element by itself.
            With ``reverse`` the later elements are the first argument.
        elems: a tree of arrays, all of one length along the axis.
        reverse: begin with the last element.
        axis: where the elements lie.

    Returns:
        a tree like ``elems``.

    Raises:
        ControlError: if the lengths differ, an array has no such axis, or ``fn`` changes structure, shapes or dtypes.

    >>> import numpy as np
    >>> associative_scan(np.multiply, np.array([1.0, 2.0, 3.0, 4.0]))
    array([ 1.,  2.,  6., 24.])
    """
    if not callable(fn):
        raise TypeError(
            f"associative_scan needs a function, got {type(fn).__name__}{at_user_line()}; write "
            "associative_scan(fn, xs)"
        )
    leaves, structure = array_leaves("associative_scan", "elems", elems)
    axes = [axis_from_end(leaf, axis, path) for leaf, path in zip(leaves, paths(elems), strict=True)]
    lengths = {spec_of(leaf).shape[own] for leaf, own in zip(leaves, axes, strict=True)}
    if len(lengths) > 1:
        raise ControlError(
            f"associative_scan needs arrays of one length along axis {axis}, got lengths {sorted(lengths)}"
            f"{at_user_line()}"
        )
    leaves = [conformed(leaf, settled(spec_of(leaf))) for leaf in leaves]
    running = Running(fn, structure, axes)
    if reverse:
        leaves = [flipped(leaf, own) for leaf, own in zip(leaves, axes, strict=True)]
    found = running.results(leaves)
    if reverse:
        found = [flipped(leaf, own) for leaf, own in zip(found, axes, strict=True)]
    return structure.unflatten(found)


class Running:
    """The running results for leaves.

    Args:
        fn: the operation.
        structure: the structure of its arguments.
        axes: for each leaf the axis, counted from the end.
    """

    def __init__(self, fn: Callable[[Any, Any], Any], structure: TreeDef, axes: Sequence[int]) -> None:
        self.fn = fn
        self.structure = structure
        self.axes = axes

    def results(self, leaves: list[Any]) -> list[Any]:
        """Neighbours are put together, the running results of these pairs found, and what lies between filled in."""
        length = spec_of(leaves[0]).shape[self.axes[0]] if leaves else 0
        if length < 2:
            return leaves
        even, odd = self.part(leaves, 0, length - 1, 2), self.part(leaves, 1, length, 2)
        later = self.results(self.apply(even, odd))
        if length == 2:
            return self.interleaved(self.part(leaves, 0, 1, 1), later)
        between = self.apply(self.part(later, 0, (length - 1) // 2, 1), self.part(leaves, 2, length, 2))
        first = self.part(leaves, 0, 1, 1)
        return self.interleaved(
            [joined(a, b, axis=k) for a, b, k in zip(first, between, self.axes, strict=True)], later
        )

    def part(self, leaves: Sequence[Any], start: int, stop: int, step: int) -> list[Any]:
        """Some of the elements."""
        return [
            slice_of(leaf, key=((start, stop, step), *(WHOLE,) * (-axis - 1)))
            for leaf, axis in zip(leaves, self.axes, strict=True)
        ]

    def apply(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        """The operation on leaves, whose results must be like them."""
        leaves, structure = flatten(self.fn(self.structure.unflatten(a), self.structure.unflatten(b)))
        got, wanted = list(map(spec_of, leaves)), list(map(spec_of, a))
        if structure != self.structure or [(s.shape, s.dtype) for s in got] != [(s.shape, s.dtype) for s in wanted]:
            raise ControlError(
                f"associative_scan: {place_of(self.fn)} returned {structure.unflatten(got)} for arguments "
                f"{self.structure.unflatten(wanted)}{at_user_line()}; structure, shapes and dtypes must stay"
            )
        return leaves

    def interleaved(self, even: Sequence[Any], odd: Sequence[Any]) -> list[Any]:
        """Elements in turn from one and the other; the first may have one more."""
        return [alternating(a, b, axis) for a, b, axis in zip(even, odd, self.axes, strict=True)]


def alternating(a: Any, b: Any, axis: int) -> Any:
    """Elements along an axis in turn from one and the other array; the first may have one more."""
    shape = spec_of(b).shape
    pairs = stack(piece(a, axis, 0, shape[axis]), b, axis=axis)
    both = reshape(pairs, shape=tuple(2 * n if k == axis else n for k, n in enumerate(shape, -len(shape))))
    more = spec_of(a).shape[axis] - shape[axis]
    return joined(both, piece(a, axis, shape[axis], shape[axis] + more), axis=axis) if more else both


def flipped(leaf: Any, axis: int) -> Any:
    """The elements in the other order along an axis."""
    return slice_of(leaf, key=((None, None, -1), *(WHOLE,) * (-axis - 1)))


def axis_from_end(leaf: Any, axis: int, path: str) -> int:
    """The axis as a negative number."""
    ndim = spec_of(leaf).ndim
    if not -ndim <= axis < ndim:
        raise ControlError(
            f"associative_scan: axis={axis} but elems{path} is {spec_of(leaf)!r}{at_user_line()}; choose one "
            "of its axes"
        )
    return axis - ndim if axis >= 0 else axis
