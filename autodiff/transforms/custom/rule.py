"""Derivative rules of the user's own, on leaves.

A rule can run the function, be pulled back, and push tangents. Of the last two the user gives one; the other is its
transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.ops.shape import sum_axes
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.arrays import is_array
from autodiff.transforms.batch import vmap
from autodiff.transforms.gradient import zeros
from autodiff.transforms.transposition import Transposed

Leaves = Sequence[Any]


class CustomRule:
    """What is known of the derivative of one function of ``count`` leaves. Subclasses give one mode of the two."""

    @property
    def name(self) -> str:
        """The function's name and line, for error texts."""
        raise NotImplementedError

    @property
    def count(self) -> int:
        """How many operands the function has."""
        raise NotImplementedError

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        """The results, and whatever :meth:`pull` will need for cotangents of the operands at these positions."""
        raise NotImplementedError

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        """The cotangents of the operands at the positions; None for zero."""
        raise NotImplementedError

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The results and their tangents, from the operands' tangents; None for zero."""
        raise NotImplementedError

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        """The rule for a whole batch at once; the flags say which operands differ between examples."""
        raise NotImplementedError


class BackwardRule(CustomRule):
    """A rule that is given by ``run`` and ``pull``."""

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        positions = [k for k, tangent in enumerate(tangents) if tangent is not None]
        outs, kept = self.run(values, positions)
        specs = [spec_of(out) for out in outs]
        smooth = [k for k, s in enumerate(specs) if s.inexact]

        def cotangent_map(*cotangents: Any) -> tuple[Any, None]:
            full = placed(cotangents, smooth, len(outs))
            cts = self.pull(
                kept,
                [zeros(s, out) if ct is None else ct for ct, s, out in zip(full, specs, outs, strict=True)],
                positions,
            )
            return tuple(
                zeros(spec_of(values[p]), values[p]) if ct is None else ct for ct, p in zip(cts, positions, strict=True)
            ), None

        transposed = Transposed(
            f"the backward rule of {self.name}", cotangent_map, [specs[k] for k in smooth], [outs[k] for k in smooth]
        )
        return outs, tuple(placed(transposed([tangents[p] for p in positions]), smooth, len(outs)))

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        return BatchedBackward(self, flags)


class ForwardRule(CustomRule):
    """A rule that is given by ``push``."""

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        def tangent_map(*tangents: Any) -> tuple[Any, Any]:
            outs, pushed = self.push(values, placed(tangents, positions, len(values)))
            pairs = zip(outs, pushed, strict=True)
            return tuple(
                zeros(spec_of(out), out) if tangent is None else tangent
                for out, tangent in pairs
                if spec_of(out).inexact
            ), outs

        given = [values[p] for p in positions]
        transposed = Transposed(f"the rule of {self.name}", tangent_map, list(map(spec_of, given)), given)
        return transposed.aux, transposed

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        return tuple(kept([ct for ct in g if spec_of(ct).inexact]))

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        return BatchedForward(self, flags)


@dataclass(frozen=True)
class BatchedBackward(BackwardRule):
    """A backward rule for each example of a batch."""

    rule: CustomRule
    flags: tuple[bool, ...]

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def count(self) -> int:
        return self.rule.count

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        form: list[Any] = []

        def of_example(*example: Any) -> Any:
            outs, kept = self.rule.run(example, positions)
            leaves, structure = flatten(kept)
            differs = [is_value(leaf) for leaf in leaves]
            form[:] = [structure, differs, [None if d else leaf for leaf, d in zip(leaves, differs, strict=True)]]
            return outs, tuple(leaf for leaf, d in zip(leaves, differs, strict=True) if d)

        outs, kept = vmap(of_example, in_axes=tuple(0 if flag else None for flag in self.flags))(*values)
        return outs, (kept, *form)

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        residuals, structure, differs, fixed = kept

        def of_example(own: Leaves, cotangents: Leaves) -> tuple[Any, ...]:
            remaining = iter(own)
            leaves = [next(remaining) if d else leaf for leaf, d in zip(fixed, differs, strict=True)]
            return self.rule.pull(structure.unflatten(leaves), cotangents, positions)

        cts = vmap(of_example)(tuple(residuals), tuple(g))
        return tuple(ct if ct is None or self.flags[p] else summed(ct) for ct, p in zip(cts, positions, strict=True))


@dataclass(frozen=True)
class BatchedForward(ForwardRule):
    """A forward rule for each example of a batch."""

    rule: CustomRule
    flags: tuple[bool, ...]

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def count(self) -> int:
        return self.rule.count

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        axes = tuple(0 if flag else None for flag in self.flags)
        return vmap(self.rule.push, in_axes=(axes, axes))(tuple(values), tuple(tangents))  # type: ignore[no-any-return]


def placed(values: Leaves, positions: Sequence[int], count: int) -> list[Any]:
    """The values at their positions among ``count``, None elsewhere."""
    full: list[Any] = [None] * count
    for position, value in zip(positions, values, strict=True):
        full[position] = value
    return full


def is_value(leaf: Any) -> bool:
    """Whether a residual may differ between the examples of a batch."""
    return isinstance(leaf, (Traced, np.generic)) or is_array(leaf)


def summed(ct: Any) -> Any:
    """The sum over the examples: the cotangent of what is the same for all of them."""
    return sum_axes(ct, axes=(-spec_of(ct).ndim,))
