"""A scan in blocks, of which reverse mode keeps only the carries between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autodiff.ops.join import joined, piece
from autodiff.ops.shape import reshape
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import TreeDef, flatten, map_tree
from autodiff.transforms.arguments import like
from autodiff.transforms.checkpoint import checkpoint
from autodiff.transforms.control.loop import scan_with
from autodiff.transforms.control.scan_call import scanned
from autodiff.transforms.control.staging import must_stage

Slices = tuple[Sequence[Any], TreeDef]


def scan_in_blocks(
    f: Callable[[Any, Any], Any], init: Any, xs: Slices, length: int, reverse: bool, unroll: int, size: int
) -> tuple[Any, Any]:
    """The scan as a scan over blocks of ``size`` steps, and one over the steps that remain."""
    leaves, structure = xs
    staged = must_stage([*flatten(init)[0], *leaves])
    whole = length - length % size

    def part(carry: Any, rows: Any, steps: int) -> tuple[Any, Any]:
        """Steps of which nothing is kept but the carry before them."""
        run = partial(steps_of, f, steps, reverse, unroll)
        return (run if staged else checkpoint(like(f, run)))(carry, rows)

    def blocks(carry: Any) -> tuple[Any, Any]:
        rows = [cut(leaf, 0, whole, (whole // size, size)) for leaf in leaves]

        def block(carry: Any, rows: Any) -> Any:
            return part(carry, structure.unflatten(rows), size)

        found = scan_with(scanned, "scan", like(f, block), carry, flatten(rows), whole // size, reverse)
        return found[0], map_tree(lambda y: reshape(y, shape=(whole, *spec_of(y).shape[2:])), found[1])

    def remainder(carry: Any) -> tuple[Any, Any]:
        return part(
            carry, structure.unflatten(cut(leaf, whole, length, (length - whole,)) for leaf in leaves), length - whole
        )

    if whole == 0:
        return remainder(init)
    if whole == length:
        return blocks(init)
    first, second = (remainder, blocks) if reverse else (blocks, remainder)
    carry, ys = first(init)
    carry, more = second(carry)
    early, late = (more, ys) if reverse else (ys, more)
    return carry, map_tree(lambda a, b: joined(a, b, axis=-spec_of(a).ndim), early, late)


def steps_of(
    f: Callable[[Any, Any], Any], length: int, reverse: bool, unroll: int, carry: Any, rows: Any
) -> tuple[Any, Any]:
    """A number of steps."""
    return scan_with(scanned, "scan", f, carry, flatten(rows), length, reverse, unroll)


def cut(leaf: Any, start: int, stop: int, lead: tuple[int, ...]) -> Any:
    """Some of the slices of an array, arranged in blocks."""
    own = spec_of(leaf)
    if (start, stop) != (0, own.shape[0]):
        leaf = piece(leaf, -own.ndim, start, stop)
    return reshape(leaf, shape=(*lead, *own.shape[1:])) if len(lead) > 1 else leaf
