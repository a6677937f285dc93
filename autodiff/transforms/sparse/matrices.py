"""The entries of sparse Jacobians and Hessians, from a batch of a few directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.numpy.traced_sparse import TracedSparse
from autodiff.ops.elementwise import cast
from autodiff.ops.masked import DIRECTION, Masked
from autodiff.ops.shape import reshape
from autodiff.trace.primitive import newest_traced
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.staging import stage
from autodiff.transforms.batch import flat_structure, vmap
from autodiff.transforms.gradient import Linearization
from autodiff.transforms.linearize import TangentMap
from autodiff.transforms.masking import has_nan
from autodiff.transforms.sparse.compression import Block, Compression, by_columns, by_rows, by_symmetry, fewest
from autodiff.transforms.sparse.patterns import Patterns
from autodiff.transforms.unit_vectors import LinearMap, derivative_dtype

ELEMENTS = 2**24
"""So many elements of directions and products are computed at once, so that memory grows with the entries alone."""

COMPRESS = {"auto": fewest, "forward": by_columns, "reverse": by_rows, "symmetric": by_symmetry}


def sparse_blocks(
    patterns: Patterns,
    at: TangentMap | Linearization,
    mode: str,
    specs: tuple[Sequence[Spec], Sequence[Spec]],
    values: Sequence[Any],
    transposed: Callable[[Any], LinearMap],
) -> list[list[Any]]:
    """The blocks of a sparse Jacobian, by results and arguments.

    Args:
        patterns: those of earlier calls.
        at: the function at a point, with the tape of its tangents; or ready to be read backwards.
        mode: ``"auto"``, ``"forward"``, ``"reverse"``, or ``"symmetric"``.
        specs: of the arguments' and the results' leaves.
        values: the leaves of the result.
        transposed: the pullback, from the tape of tangents.
    """
    arguments, results = specs
    if isinstance(at, Linearization):
        tape = stage(lambda *cts: at.pull(cts), results, flat_structure(len(results))).tape
        found = patterns.find(tape, len(results), [True] * len(arguments), specs, by_rows, turned=True)
    else:
        found = patterns.find(at.staged.tape, len(arguments), at.depends, specs, COMPRESS[mode])
    turned = found.compression.by_rows
    if turned:
        pull = at.pull if isinstance(at, Linearization) else transposed(at)
        data = gathered(found.compression, pull, pull, results, values)
    else:
        assert isinstance(at, TangentMap)
        data = gathered(found.compression, at.push, at.push_masked, arguments, at.leaves)
    traced = newest_traced((data, *at.leaves)) is not None
    return [
        [
            matrix(block, data, derivative_dtype(argument, result), traced)
            for block, argument in zip(row, arguments, strict=True)
        ]
        for row, result in zip(found.blocks, results, strict=True)
    ]


def gathered(
    compression: Compression, plain: LinearMap, careful: LinearMap, specs: Sequence[Spec], at: Sequence[Any]
) -> Any:
    """The entries of the whole matrix, row by row."""
    if not compression.places.size:
        return np.zeros(0)

    def some(start: int, stop: int) -> Any:
        return products(compression, start, stop, plain, careful, specs, at)

    places, found_by, count = compression.places, compression.found_by, compression.count
    step = max(1, ELEMENTS // max(1, *compression.pattern.shape))
    first = some(0, min(step, count))
    if newest_traced((first,)) is not None:
        return (first if step >= count else some(0, count))[found_by, places]
    if step >= count:
        return first[found_by, places]
    data = np.empty(places.size, first.dtype)
    for start in range(0, count, step):
        part = some(start, min(start + step, count)) if start else first
        inside = (found_by >= start) & (found_by < start + step)
        data[inside] = part[found_by[inside] - start, places[inside]]
    return data


def products(
    compression: Compression,
    start: int,
    stop: int,
    plain: LinearMap,
    careful: LinearMap,
    specs: Sequence[Spec],
    at: Sequence[Any],
) -> Any:
    """The products of the matrix with some directions, one in each row."""
    flat = compression.directions(start, stop)
    ends = np.cumsum([own.size for own in specs])[:-1]
    directions = [
        part.reshape(stop - start, *own.shape).astype(own.dtype)
        for part, own in zip(np.split(flat, ends, axis=1), specs, strict=True)
    ]
    found = batch_of(plain, careful, directions, at)
    flattened = [reshape(part, shape=(stop - start, spec_of(part).size // max(stop - start, 1))) for part in found]
    return flattened[0] if len(flattened) == 1 else FUNCTIONS[np.concatenate](flattened, axis=1)


def batch_of(plain: LinearMap, careful: LinearMap, directions: Sequence[Any], at: Sequence[Any]) -> Sequence[Any]:
    """What a linear map makes of directions: if that has NaN once more, with the zeros of directions masked."""
    if newest_traced(tuple(at)) is None:
        found = vmap(lambda *own: tuple(plain(list(own))))(*directions)
        if newest_traced(found) is None and not has_nan(found):
            return found  # type: ignore[no-any-return]

    def of_masked(*both: Any) -> tuple[Any, ...]:
        pairs = zip(both[: len(directions)], both[len(directions) :], strict=True)
        return tuple(careful([Masked(unit, mask, clean=True, origin=DIRECTION) for unit, mask in pairs]))

    return vmap(of_masked)(*directions, *(own != 0 for own in directions))  # type: ignore[no-any-return]


def matrix(block: Block, data: Any, dtype: Any, traced: bool) -> Any:
    """A part of the matrix: one of SciPy's, or, for traced arguments, one of :mod:`autodiff.scipy.sparse`."""
    own = data if block.entries is None else data[block.entries]
    if spec_of(own).dtype != dtype:
        own = cast(own, dtype=dtype)
    return TracedSparse(own, block.pattern) if traced else block.matrix(own)
