"""Einstein sums on GPUs: products of matrices, pair by pair, whose axes are put together where they lie."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.cupy.libraries.gemm import multiply
from autodiff.ops.matrices.einsum import split

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Single:
    """What is done to one operand by itself.

    Attributes:
        lone: its axes of length one, which are dropped.
        summed: the axes that are summed, as numbers of what is left then.
        term: the letters of the axes that are left in the end.
    """

    lone: tuple[int, ...]
    summed: tuple[int, ...]
    term: str

    def __call__(self, x: Any) -> Any:
        if self.lone:
            x = x.reshape(tuple(length for axis, length in enumerate(x.shape) if axis not in self.lone))
        return x.sum(axis=self.summed) if self.summed else x


@dataclass(frozen=True)
class Pair:
    """How two operands become one.

    Attributes:
        singles: what is done to each of them first.
        batch: the letters that both and the result have.
        free: the letters that the result has from one of them.
        summed: those that both have, and the result has not.
        out: the letters of the result without axes of length one.
        shape: of the result.
        sizes: of the letters.
    """

    singles: tuple[Single, Single]
    batch: str
    free: tuple[str, str]
    summed: str
    out: str
    shape: Shape
    sizes: Mapping[str, int]

    def __call__(self, x: Any, y: Any, out: Any = None) -> Any:
        cupy, sizes = sys.modules["cupy"], self.sizes
        out = cupy.empty(self.shape, x.dtype) if out is None else out
        whole = out.reshape(tuple(sizes[k] for k in self.out))
        x, y = self.singles[0](x), self.singles[1](y)
        left, right = (single.term for single in self.singles)
        if not self.summed:
            cupy.multiply(spread(x, left, self.out), spread(y, right, self.out), out=whole)
            return out
        lead = tuple(sizes[k] for k in self.batch)
        rows, columns, inner = (prod(sizes[k] for k in group) for group in (*self.free, self.summed))
        x = ordered(x, left, self.batch + self.free[0] + self.summed).reshape(*lead, rows, inner)
        y = ordered(y, right, self.batch + self.summed + self.free[1]).reshape(*lead, inner, columns)
        target = self.matrices(whole)
        if target is not None:
            multiply(x, y, target)
            return out
        product = cupy.empty((*lead, rows, columns), x.dtype)
        multiply(x, y, product)
        letters = self.batch + self.free[0] + self.free[1]
        whole[...] = ordered(product.reshape(tuple(sizes[k] for k in letters)), letters, self.out)
        return out

    def matrices(self, whole: Any) -> Any:
        """The memory of the result as a stack of matrices; None where the letters of one side lie apart in it."""
        marks, shape, waiting = "", [], self.out
        while waiting:
            mark, group = next(
                ((m, g) for m, g in zip("<>", self.free, strict=True) if g and waiting.startswith(g)),
                (waiting[0], waiting[0]),
            )
            marks += mark
            shape.append(prod(self.sizes[k] for k in group))
            waiting = waiting[len(group) :]
        if set(marks) - {"<", ">"} != set(self.batch):
            return None
        found = whole.reshape(tuple(shape))
        for mark in "<>":
            if mark not in marks:
                found, marks = found[..., None], marks + mark
        return ordered(found, marks, self.batch + "<>")


def ordered(x: Any, now: str, wanted: str) -> Any:
    """The axes in another order."""
    return x if now == wanted else x.transpose(tuple(now.index(k) for k in wanted))


def spread(x: Any, term: str, out: str) -> Any:
    """The axes in the order of a result, and axes of length one where it has others."""
    own = "".join(k for k in out if k in term)
    return ordered(x, term, own)[tuple(slice(None) if k in term else None for k in out)]


def single_of(term: str, shape: Shape, others: str) -> Single:
    """What is done to an operand of which others, or the result, want some letters."""
    lone = tuple(axis for axis, length in enumerate(shape) if length == 1)
    left = "".join(k for axis, k in enumerate(term) if axis not in lone)
    summed = tuple(axis for axis, k in enumerate(left) if k not in others)
    return Single(lone, summed, "".join(k for k in left if k in others))


def without_lone(term: str, shape: Shape) -> str:
    """The letters of the axes that are not of length one."""
    return "".join(k for k, length in zip(term, shape, strict=True) if length != 1)


def sizes_of(terms: Sequence[str], shapes: Sequence[Shape]) -> dict[str, int]:
    """How long the axes of each letter are; those of length one broadcast."""
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for letter, length in zip(term, shape, strict=True):
            sizes[letter] = length if sizes.get(letter, 1) == 1 else sizes[letter]
    return sizes


def pair_of(terms: Sequence[str], shapes: Sequence[Shape], result: str) -> Pair:
    """How two operands become a result."""
    sizes = sizes_of(terms, shapes)
    shape = tuple(sizes[k] for k in result)
    out = without_lone(result, shape)
    first, second = (without_lone(*one) for one in zip(terms, shapes, strict=True))
    singles = single_of(terms[0], shapes[0], second + out), single_of(terms[1], shapes[1], first + out)
    left, right = (single.term for single in singles)
    larger = max((left, right), key=lambda term: prod(sizes[k] for k in term))
    return Pair(
        singles,
        "".join(k for k in out if k in left and k in right),
        ("".join(k for k in out if k in left and k not in right), "".join(k for k in out if k not in left)),
        "".join(k for k in larger if k in left and k in right and k not in out),
        out,
        shape,
        sizes,
    )


class Contraction:
    """An Einstein sum as a function of arrays on a GPU, of any number of operands.

    Args:
        subscripts: every axis has a letter, no operand one twice, and the result's are written out.
        shapes: of the operands.
    """

    def __init__(self, subscripts: str, shapes: Sequence[Shape]) -> None:
        terms, self.out = split(subscripts)
        sizes = sizes_of(terms, shapes)
        self.steps: list[tuple[int, int, Pair]] = []
        self.last = single_of(terms[0], shapes[0], self.out)
        self.shape = tuple(sizes[k] for k in self.out)
        waiting = list(zip(terms, shapes, strict=True))
        for first, second in path(subscripts, shapes):
            pair = [waiting.pop(second), waiting.pop(first)][::-1]
            others = set(self.out).union(*(term for term, _ in waiting))
            made = "".join(dict.fromkeys(k for term, _ in pair for k in term if k in others)) if waiting else self.out
            own_terms, own_shapes = zip(*pair, strict=True)
            self.steps.append((first, second, pair_of(own_terms, own_shapes, made)))
            waiting.append((made, self.steps[-1][2].shape))

    def __call__(self, *xs: Any, out: Any = None) -> Any:
        dtype = np.result_type(*(x.dtype for x in xs))
        waiting = [x.astype(dtype, copy=False) for x in xs]
        for first, second, pair in self.steps:
            y, x = waiting.pop(second), waiting.pop(first)
            waiting.append(pair(x, y, None if waiting else out))
        return waiting[0] if self.steps else self.summed(waiting[0], out)

    def summed(self, x: Any, out: Any) -> Any:
        """The sum of one operand."""
        out = sys.modules["cupy"].empty(self.shape, x.dtype) if out is None else out
        out[...] = ordered(self.last(x), self.last.term, without_lone(self.out, self.shape)).reshape(self.shape)
        return out


def path(subscripts: str, shapes: Sequence[Shape]) -> list[tuple[int, int]]:
    """Which two operands are multiplied, step by step; each product comes last."""
    if len(shapes) < 3:
        return [(0, 1)] * (len(shapes) - 1)
    nothing = [np.broadcast_to(np.empty((), np.bool_), shape) for shape in shapes]
    found: list[tuple[int, int]] = []
    for step in np.einsum_path(subscripts, *nothing, optimize="greedy")[0][1:]:
        at = sorted(step)
        left = len(shapes) - len(found)
        if len(at) > 1:
            found.append((at[0], at[1]))
        for gone, other in enumerate(at[2:], 2):
            found.append((other - gone, left - gone))
    return found


@lru_cache(maxsize=1024)
def _contraction(subscripts: str, shapes: tuple[Shape, ...]) -> Contraction:
    return Contraction(subscripts, shapes)


def contraction(subscripts: str, shapes: Sequence[Shape]) -> Contraction:
    """An Einstein sum as a function of arrays on a GPU, and of ``out=``."""
    return _contraction(subscripts, tuple(shapes))
