"""Views of arrays that lie in C order, as lengths and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from autodiff.backends.cupy.kernels.writing import Lengths, Unsupported
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation


def steps_of(lengths: Lengths) -> Lengths:
    """The steps of an array in C order."""
    return tuple(prod(lengths[k + 1 :]) for k in range(len(lengths)))


@dataclass(frozen=True)
class View:
    """Elements of an array: ``offset`` plus the coordinates times ``steps``."""

    offset: int
    lengths: Lengths
    steps: Lengths

    def joined(self) -> View:
        """The same elements with as few axes as they take; one at least."""
        axes: list[tuple[int, int]] = []
        for length, step in zip(self.lengths, self.steps):
            if length == 1:
                continue
            if axes and axes[-1][1] == length * step:
                axes[-1] = axes[-1][0] * length, step
            else:
                axes.append((length, step))
        axes = axes or [(1, 1)]
        return View(self.offset, tuple(length for length, _ in axes), tuple(step for _, step in axes))


def part_of_key(part: int | tuple[int | None, ...], length: int) -> tuple[int, int, int]:
    """Where a part of a basic key starts along an axis, how far its places are apart, and how many there are."""
    if isinstance(part, int):
        return part % length, 1, 1
    places = range(length)[slice(*part)]
    return places.start, places.step, len(places)


def view_of(equation: Equation, x: Spec) -> View:
    """What an operation that makes a view of an array in C order shows of it.

    Raises:
        Unsupported: if it is another one.
    """
    params, out = dict(equation.params), equation.specs[0]
    steps = steps_of(x.shape)
    match equation.primitive.name:
        case "transpose":
            axes = params["axes"]
            lead = x.ndim - len(axes)
            order = (*range(lead), *(axis % x.ndim for axis in axes))
            return View(0, out.shape, tuple(steps[k] for k in order))
        case "broadcast_to":
            new = out.ndim - x.ndim
            kept = (step if length > 1 else 0 for length, step in zip(x.shape, steps))
            return View(0, out.shape, (*(0,) * new, *kept))
        case "windows":
            rank = len(params["shape"])
            before, inner = steps[: x.ndim - rank], steps[x.ndim - rank :]
            apart = tuple(step * s for step, s in zip(inner, params["stride"]))
            within = tuple(step * d for step, d in zip(inner, params["dilation"]))
            return View(0, out.shape, (*before, *apart, *within))
        case "slice_of":
            return sliced(params["key"], x.shape, out.shape)
    raise Unsupported(f"{equation.primitive.name} is no view with regular steps")


def sliced(key: Sequence[object], lengths: Lengths, shape: Lengths) -> View:
    """The elements that a basic key names, of the last axes."""
    steps = steps_of(lengths)
    axis = len(lengths) - sum(isinstance(part, (int, tuple)) for part in key)
    offset, found = 0, list(steps[:axis])
    for part in key:
        if part is None:
            found.append(0)
        elif isinstance(part, (int, tuple)):
            start, apart, many = part_of_key(part, lengths[axis])
            offset += start * steps[axis] if many else 0
            if not isinstance(part, int):
                found.append(apart * steps[axis])
            axis += 1
    return View(offset, shape, tuple(found))
