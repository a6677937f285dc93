"""What stands between the brackets of ``x[key]``: taken apart as NumPy does, into slices and integer arrays.

NumPy's rules, which nobody remembers: a boolean array stands for the arrays of integers that ``nonzero`` gives; a
single truth value adds an axis of length one, or zero, and picks along that; next to arrays, integers are arrays too.
If anything else stands between two arrays, even an Ellipsis for no axis at all, the picked axes come first in the
result; otherwise they stay where they are.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, contains_traced
from autodiff.numpy.items.picked import unknown_number
from autodiff.ops.elementwise import cast
from autodiff.ops.index import Key
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, is_chunked, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import index_module, on_gpu
from autodiff.trace.values.chunked import refusal

WHOLE = (None, None, None)
"""The slice that takes an axis as it is."""

NUMBERS = "iu"
"""The kinds of dtypes that are indices."""


class ParsedKey:
    """A key of ``x[key]`` for an array of some shape.

    Attributes:
        basic: the key with full slices at the axes that arrays index, and new axes for single truth values.
        arrays: the integer arrays, one for each such axis, in order.
        axes: the positions of these axes after the basic part was applied.
        adjacent: whether NumPy leaves the picked axes in their place.
        chosen: whether a boolean mask did the choosing.
        dotted: whether there is an Ellipsis: x[..., i] is an array where x[i] is a number.
    """

    __slots__ = ("adjacent", "after", "arrays", "axes", "axis", "basic", "chosen", "dotted", "places", "shape")

    def __init__(self, key: Any, shape: tuple[int, ...]) -> None:
        parts = with_all_axes([part_of(part) for part in (key if isinstance(key, tuple) else (key,))], shape)
        with_arrays = any(map(is_array, parts))
        self.shape = shape
        self.basic: Key = ()
        self.arrays: list[Any] = []
        self.axes: list[int] = []
        self.places: list[int] = []
        self.chosen = False
        self.dotted = any(part is Ellipsis for part in parts)
        self.axis = self.after = 0
        for place, part in enumerate(parts):
            if type(part) is int and not with_arrays:
                self.take(bounded(part, shape[self.axis], self.axis))
            elif type(part) is int or is_array(part):
                self.pick(part, place)
            elif part is not Ellipsis:
                self.take(part)
        if self.dotted and not with_arrays:
            self.basic = (*self.basic, Ellipsis)
        self.adjacent = not self.places or set(range(self.places[0], self.places[-1] + 1)) == set(self.places)

    def take(self, part: Any) -> None:
        """Add a basic part: an integer, a slice, or None for a new axis."""
        self.basic = (*self.basic, part)
        self.axis += part is not None
        self.after += type(part) is not int

    def pick(self, part: Any, place: int) -> None:
        """Add integer arrays, or what becomes some."""
        if spec_of(part).dtype.kind != "b":
            self.pick_along(within(as_numbers(part), self.shape[self.axis], self.axis), WHOLE, place)
            return
        mask = self.known_mask(part)
        self.chosen = True
        if not mask.ndim:
            self.pick_along(index_module(mask).zeros(int(mask), dtype=np.intp), None, place)
            return
        for index in mask.nonzero():
            self.pick_along(index, WHOLE, place)

    def pick_along(self, index: Any, axis: Any, place: int) -> None:
        """Add an integer array for an axis of the array, or for a new one."""
        self.arrays.append(index)
        self.axes.append(self.after)
        self.places.append(place)
        self.take(axis)

    def known_mask(self, part: Any) -> Any:
        """A mask that fits the axes that it stands for."""
        mask = concrete(part)
        if type(mask) is Spec or isinstance(part, Traced):
            raise ConcretizationError(unknown_number())
        axis = self.axis
        covered = self.shape[axis : axis + mask.ndim]
        if mask.shape != covered:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axes is {covered} but size of "
                f"corresponding boolean axes is {mask.shape}{at_user_line()}"
            )
        return mask


def part_of(part: Any) -> Any:
    """One part of a key: None, Ellipsis, a slice as a hashable value, an integer, or an array of integers or truth."""
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if isinstance(part, slice):
        return triple(part)
    if isinstance(part, Traced):
        part = part.settled()
    if isinstance(part, (np.ndarray, Traced)) or on_gpu(part):
        return checked(part)
    if not isinstance(part, (bool, np.bool_)):
        try:
            return operator.index(part)
        except TypeError:
            pass
    array = as_index(part)
    if not array.ndim and array.dtype.kind not in NUMBERS + "b":
        raise not_an_index(part)
    return array.astype(np.intp) if type(array) is np.ndarray and not array.size else checked(array)


def as_index(part: Any) -> Any:
    """Integers or a mask as an array; traced ones in lists are stacked."""
    if isinstance(part, Traced) or on_gpu(part):
        return part
    if isinstance(part, (list, tuple)) and contains_traced(part):
        return as_operand(part)
    if is_chunked(part):
        raise refusal("an index", "compute it, i.compute(), or select with np.where(mask, x, 0)")
    return np.asarray(part)


def as_numbers(part: Any) -> Any:
    """An index that is not a mask as an array of integers that can hold the length of any axis."""
    if isinstance(part, Traced):
        return part if spec_of(part).dtype == np.intp else cast(part, dtype=np.dtype(np.intp))
    return np.asarray(part, np.intp) if type(part) is int else part.astype(np.intp)


def checked(array: Any) -> Any:
    """The array, if its elements can be indices.

    Raises:
        IndexError: if they are neither integers nor truth values.
    """
    its = spec_of(array)
    if its.dtype.kind not in NUMBERS + "b":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, got {its!r}{at_user_line()}")
    return array


def not_an_index(part: Any) -> IndexError:
    """The error of what is none."""
    return IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
        f"valid indices, got {part!r}{at_user_line()}"
    )


def is_array(part: Any) -> bool:
    """Whether a part of a key makes indexing advanced."""
    return isinstance(part, (np.ndarray, Traced)) or on_gpu(part)


def with_all_axes(parts: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """The parts, with full slices for the axes that none of them mentions; after an Ellipsis, if there is one."""
    taken = sum(map(axes_of, parts))
    if taken > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {taken} were indexed{at_user_line()}"
        )
    missing = [WHOLE] * (len(shape) - taken)
    dots = [place for place, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError(f"an index can only have a single ellipsis ('...'){at_user_line()}")
    end = dots[0] + 1 if dots else len(parts)
    return [*parts[:end], *missing, *parts[end:]]


def axes_of(part: Any) -> int:
    """How many axes one part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    return int(part.ndim) if is_array(part) and spec_of(part).dtype.kind == "b" else 1


def triple(part: slice) -> tuple[int | None, int | None, int | None]:
    """A slice as a hashable value."""

    def index(bound: Any) -> int | None:
        return None if bound is None else operator.index(bound)

    return index(part.start), index(part.stop), index(part.step)


def bounded(index: int, length: int, axis: int) -> int:
    """The index, if the axis has such an element."""
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}{at_user_line()}")
    return index


def within(index: Any, length: int, axis: int) -> Any:
    """Integers checked where they are known."""
    plain = concrete(index)
    if isinstance(plain, np.ndarray) and plain.size:
        for extreme in (int(plain.min()), int(plain.max())):
            bounded(extreme, length, axis)
    return index


def plain_basic(key: Any, shape: tuple[int, ...]) -> Key | None:
    """The key in its hashable form, if it is made of integers and slices alone: by far the most are."""
    parts = key if type(key) is tuple else (key,)
    missing = len(shape) - len(parts)
    if missing < 0:
        return None
    basic: list[Any] = []
    for part, length in zip(parts, shape):
        if type(part) is int and -length <= part < length:
            basic.append(part)
        elif type(part) is slice:
            bounds = (part.start, part.stop, part.step)
            for bound in bounds:
                if bound is not None and type(bound) is not int:
                    return None
            basic.append(bounds)
        else:
            return None
    basic.extend([WHOLE] * missing)
    return tuple(basic)
