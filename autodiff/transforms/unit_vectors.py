"""The blocks of a Jacobian: a linear map applied to all unit vectors as one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.ops.shape import reshape, transpose
from autodiff.trace.arrays import module_of, zeros
from autodiff.trace.spec import Spec
from autodiff.transforms.batch import vmap

Shape = tuple[int, ...]


def columns(
    push: Callable[[Any], Any], inputs: Sequence[Spec], outputs: Sequence[Spec], at: Sequence[Any]
) -> list[list[Any]]:
    """The blocks of the Jacobian by outputs and inputs, from the tangents of unit vectors beside the inputs ``at``."""
    by_input = []
    for k, own in enumerate(inputs):

        def of_unit(unit: Any, k: int = k) -> tuple[Any, ...]:
            others = [zeros(s, value) for s, value in zip(inputs, at, strict=True)]
            return tuple(push([*others[:k], unit, *others[k + 1 :]]))

        found = vmap(of_unit)(units(own, at[k]))
        by_input.append([to_back(t, out.shape, own.shape) for t, out in zip(found, outputs, strict=True)])
    return [list(row) for row in zip(*by_input, strict=True)] or [[] for _ in outputs]


def rows(
    pull: Callable[[list[Any]], list[Any]], inputs: Sequence[Spec], outputs: Sequence[Spec], at: Sequence[Any]
) -> list[list[Any]]:
    """The same from the cotangents of unit vectors, which lie beside the outputs ``at``."""
    blocks = []
    for k, own in enumerate(outputs):

        def of_unit(unit: Any, k: int = k) -> tuple[Any, ...]:
            others = [zeros(s, value) for s, value in zip(outputs, at, strict=True)]
            return tuple(pull([*others[:k], unit, *others[k + 1 :]]))

        found = vmap(of_unit)(units(own, at[k]))
        blocks.append([shaped(g, (*own.shape, *s.shape)) for g, s in zip(found, inputs, strict=True)])
    return blocks


def units(own: Spec, like: Any) -> Any:
    """All unit vectors of a space, one after the other."""
    return module_of(like).eye(own.size, dtype=own.dtype).reshape(own.size, *own.shape)


def to_back(found: Any, out: Shape, own: Shape) -> Any:
    """Tangents of unit vectors, whose number is the first axis, as a block of shape ``out + own``."""
    ndim = len(out) + 1
    return shaped(transpose(found, axes=(*range(1 - ndim, 0), -ndim)), (*out, *own))


def shaped(found: Any, shape: Shape) -> Any:
    """A block in its shape; a number where that has no axes."""
    block = reshape(found, shape=shape)
    return block if not isinstance(block, np.ndarray) else block[()] if not shape else np.ascontiguousarray(block)
