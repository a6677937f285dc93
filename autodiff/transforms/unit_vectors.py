"""The blocks of a Jacobian: a linear map applied to all unit vectors as one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast
from autodiff.ops.masked import DIRECTION, Masked
from autodiff.ops.shape import reshape, transpose
from autodiff.trace.primitive import newest_traced
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.values.arrays import module_of, zeros
from autodiff.transforms.batch import vmap
from autodiff.transforms.masking import has_nan

Shape = tuple[int, ...]
LinearMap = Callable[[list[Any]], Sequence[Any]]


def columns(
    push: LinearMap, careful: LinearMap, inputs: Sequence[Spec], outputs: Sequence[Spec], at: Sequence[Any]
) -> list[list[Any]]:
    """The blocks of the Jacobian by outputs and inputs, from the tangents of unit vectors beside the inputs ``at``.

    Args:
        push: from the tangents of all inputs to those of all outputs.
        careful: the same of tangents that may be masked, or None.
        inputs: what the inputs are.
        outputs: what the outputs are.
        at: beside what unit vectors lie.
    """
    by_input = []
    for k, own in enumerate(inputs):
        found = of_units(push, careful, inputs, k, at)
        by_input.append([to_back(t, out.shape, own.shape) for t, out in zip(found, outputs, strict=True)])
    return [list(row) for row in zip(*by_input, strict=True)] or [[] for _ in outputs]


def rows(
    pull: LinearMap, careful: LinearMap, inputs: Sequence[Spec], outputs: Sequence[Spec], at: Sequence[Any]
) -> list[list[Any]]:
    """The same from the cotangents of unit vectors, which lie beside the outputs ``at``."""
    blocks = []
    for k, own in enumerate(outputs):
        found = of_units(pull, careful, outputs, k, at)
        blocks.append([shaped(g, (*own.shape, *s.shape)) for g, s in zip(found, inputs, strict=True)])
    return blocks


def of_units(
    plain: LinearMap, careful: LinearMap, specs: Sequence[Spec], place: int, at: Sequence[Any]
) -> tuple[Any, ...]:
    """What a linear map makes of all unit vectors of one of its spaces, as one batch.

    Zeros of unit vectors are nothing that could meet an infinity. To keep track of them takes longer and makes a
    difference only where it gives NaN: where values are known the result is looked at first.
    """
    own = specs[place]
    vectors = units(own, at[place])
    known = newest_traced(tuple(at)) is None

    def of_unit(unit: Any) -> tuple[Any, ...]:
        others = [zeros(s, value) for s, value in zip(specs, at, strict=True)]
        return tuple(plain([*others[:place], unit, *others[place + 1 :]]))

    def of_masked(unit: Any, mask: Any) -> tuple[Any, ...]:
        full: list[Any] = [None] * len(specs)
        full[place] = unit if own.size == 1 else Masked(unit, mask, clean=True, origin=DIRECTION)
        return tuple(careful(full))

    with np.errstate(all="ignore"):  # infinite derivatives are values like any other: see the conventions
        if known or (own.size == 1 and len(specs) == 1):
            found = vmap(of_unit)(vectors)
            if (own.size == 1 and len(specs) == 1) or (newest_traced(found) is None and not has_nan(found)):
                return found  # type: ignore[no-any-return]
        return vmap(of_masked)(vectors, vectors != 0)  # type: ignore[no-any-return]


def derivative_dtype(argument: Spec, result: Spec) -> np.dtype[Any]:
    """The dtype of a derivative in any mode: the argument's, or complex numbers of its precision."""
    if result.dtype.kind != "c" or argument.dtype.kind == "c":
        return argument.dtype
    real = np.float32 if argument.dtype.kind == "V" else argument.dtype  # bfloat16: NumPy promotes it to nothing
    return np.result_type(real, np.complex64)


def in_dtypes(row: Sequence[Any], arguments: Sequence[Spec], result: Spec) -> list[Any]:
    """The derivatives of one result, each in its dtype: which mode found them makes no difference."""
    wanted = [derivative_dtype(argument, result) for argument in arguments]
    return [
        block if spec_of(block).dtype == dtype else cast(block, dtype=dtype)
        for block, dtype in zip(row, wanted, strict=True)
    ]


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
