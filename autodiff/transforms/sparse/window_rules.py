"""How operations on windows and segments hand on dependence."""

from __future__ import annotations

from math import prod

import numpy as np

from autodiff.ops.images import overlap
from autodiff.ops.reductions import segments
from autodiff.transforms.sparse.dependence import Dependence, met
from autodiff.transforms.sparse.operation import Found, Operation, within_axes


def convolve_rule(operation: Operation) -> Found:
    """Each element is added to as many results as the other vector is long."""
    one, out = operation.moving[0], operation.results[0].shape
    if len(operation.moving) > 1:
        return within_axes(operation, (-1,))
    other = operation.specs[int(operation.operands[0] is one)].shape[-1]
    wide = Dependence(one.numbers[..., None], one.sets).spread((*out[:-1], one.numbers.shape[-1], other))
    places = np.arange(one.numbers.shape[-1])[:, None] + np.arange(other)
    return wide.summed(np.arange(prod(out[:-1])).reshape((*out[:-1], 1, 1)) * out[-1] + places, out)


def slide_rule(operation: Operation) -> Found:
    """Windows of the longer vector."""
    one, out = operation.one, operation.results[0].shape
    if one is None:
        return within_axes(operation, (-1,))
    width = operation.specs[1].shape[-1]
    seen = one.moved(lambda n: np.lib.stride_tricks.sliding_window_view(n, width, axis=-1))
    return met([seen.along((-1,), False)], out)


def sum_windows_rule(operation: Operation) -> Found:
    """The union under each window."""
    one = operation.moving[0]
    size, stride = operation.params["shape"], operation.params["stride"]
    seen = one.moved(lambda n: overlap.windows.evaluate(n, shape=size, stride=stride, dilation=(1,) * len(size)))
    return seen.along(range(-len(size), 0), False)


def spread_windows_rule(operation: Operation) -> Found:
    """Each element is added to all places of its window."""
    one, out = operation.moving[0], operation.results[0].shape
    size, stride = operation.params["shape"], operation.params["stride"]
    places = np.arange(prod(out)).reshape(out)
    targets = overlap.windows.evaluate(places, shape=size, stride=stride, dilation=(1,) * len(size))
    wide = Dependence(one.numbers.reshape((*one.numbers.shape, *(1,) * len(size))), one.sets)
    return wide.summed(targets, out)


def spread_segments_rule(operation: Operation) -> Found:
    """Each element is added to all places of its segment."""
    one, out, axis = operation.moving[0], operation.results[0].shape, operation.params["axis"]
    rows = np.moveaxis(one.numbers, axis, 0)
    pieces = segments.segments(operation.params["indices"], operation.params["length"])
    chosen = np.concatenate(
        [rows[:0], *(np.broadcast_to(rows[k], (b - a, *rows.shape[1:])) for k, (a, b) in enumerate(pieces))]
    )
    places = np.moveaxis(np.arange(prod(out)).reshape(out), axis, 0)
    hit = np.concatenate([places[:0], *(places[a:b] for a, b in pieces)])
    return Dependence(chosen, one.sets).summed(hit, out)
