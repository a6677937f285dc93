"""Operations along axes: these must lie in one chunk; all others are done chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import is_chunked, spec_of
from autodiff.trace.values.chunked import by_blocks, refusal


def along_axes(primitive: Primitive, *operands: Any, **params: Any) -> Any:
    """An operation along the axes that its parameters name, of operands with as many axes each.

    Raises:
        NotImplementedError: if an operand is cut along such an axis.
    """
    axes = params["axes"] if "axes" in params else (params["axis"],)
    out = primitive.spec(*map(spec_of, operands), **params)
    labels = [own_axes(primitive, operand, axes, k) for k, operand in enumerate(operands)]
    others = [k for k in range(-np.ndim(operands[0]), 0) if k not in axes]
    kept = len(out.shape) == np.ndim(operands[0])
    result = tuple(("out", k) if k in axes else k for k in range(-len(out.shape), 0)) if kept else tuple(others)
    return by_blocks(primitive, operands, params, labels, result, out)


def matrices(*ranks: int) -> Callable[..., Any]:
    """An operation on so many last axes of each operand, with as many of the result as its specs say."""

    def evaluate(primitive: Primitive, *operands: Any, **params: Any) -> Any:
        out = primitive.spec(*map(spec_of, operands), **params)
        lead = max(np.ndim(operand) - rank for operand, rank in zip(operands, ranks, strict=True))
        labels = []
        for position, (operand, rank) in enumerate(zip(operands, ranks, strict=True)):
            core = own_axes(primitive, operand, tuple(range(-rank, 0)), position)[np.ndim(operand) - rank :]
            labels.append((*range(rank - np.ndim(operand), 0), *core))
        result = (*range(-lead, 0), *(("out", k) for k in range(len(out.shape) - lead)))
        return by_blocks(primitive, operands, params, labels, result, out)

    return evaluate


def own_axes(primitive: Primitive, operand: Any, axes: tuple[int, ...], position: int) -> tuple[Any, ...]:
    """The labels of an operand: axes along which the operation goes are its own."""
    if is_chunked(operand):
        cut = tuple(k for k in axes if operand.numblocks[k] > 1)
        if cut:
            whole = ", ".join(f"{k}: -1" for k in cut)
            raise refusal(
                f"{primitive.name} along an axis that is cut into chunks",
                f"bring it into one, x.rechunk({{{whole}}}), if it fits into memory",
            )
    return tuple((position, k) if k in axes else k for k in range(-np.ndim(operand), 0))
