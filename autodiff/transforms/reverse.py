"""Reading a live tape backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any

import numpy as np
from numpy import ndarray

from autodiff.ops.elementwise import logical_and, not_equal, where
from autodiff.ops.masked import SELECTION, Later, Masked
from autodiff.ops.relative import Quotient, absolute
from autodiff.ops.shape import broadcast_to, project, stretches
from autodiff.trace.errors import RuleError
from autodiff.trace.link import Link
from autodiff.trace.live import Entry, Turn
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.values.arrays import zeros
from autodiff.trace.values.chunked import cut_alike
from autodiff.transforms.masking import in_slot, ones_where, plus, restrict, summed, unmasked

PARTIAL = frozenset({Masked, Quotient, list})
"""Cotangents that are no arrays."""

Fetch = Callable[[Any], Any]
Visit = Callable[[Any, Any], Any]
Pull = Callable[[Any, Any, Any], Any]
Begin = Callable[[Any], list[Any]]


def read_backwards(
    seeds: Iterable[tuple[Any, Any]],
    fetch: Fetch | None = None,
    visit: Visit | None = None,
    pull: Pull | None = None,
    begin: Begin | None = None,
) -> dict[Any, Any]:
    """The cotangents of all inputs that the seeds' entries depend on.

    Entries are visited once each, those of the highest order first, so that a cotangent is complete when it is used.
    While nothing else waits, the reader goes straight on from an entry to its operand.

    Args:
        seeds: pairs of an entry and the cotangent of its result.
        fetch: gives an entry's residuals, where they are not simply ``entry.residuals``.
        visit: called with every entry that is not an input and its complete cotangent.
        pull: in place of :func:`pulled`, gives the operands' cotangents from an entry, its cotangent and residuals.
        begin: gives a list of the cotangents that results of an operation with several have if nothing depends on
            them; None for all of them where it is None.

    Returns:
        a dictionary from inputs' entries to cotangents.
    """
    leaves: dict[Any, Any] = {}
    pending: dict[Any, Any] = {}
    heap: list[tuple[int, int, Any]] = []
    found = 0  # breaks ties of order by discovery

    def add(entry: Any, ct: Any) -> None:
        nonlocal found
        if entry.link is None:
            ct = absolute(ct) if type(ct) is Quotient else ct
            leaves[entry] = plus(leaves[entry], ct) if entry in leaves else ct
        elif entry in pending:
            pending[entry] = plus(pending[entry], ct)
        else:
            pending[entry] = ct
            found += 1
            heappush(heap, (-entry.order, found, entry))

    for entry, ct in seeds:
        add(entry, ct)
    node: Any = None
    while heap:
        node = heappop(heap)[2]
        g = pending.pop(node)
        while node is not None:
            if visit is not None:
                visit(node, g)
            link = node.link
            operands = node.operands
            if link.special:
                part = pending.get(operands)
                if part is None:
                    part = pending[operands] = [None] * len(operands.spec) if begin is None else begin(operands)
                    found += 1
                    heappush(heap, (-operands.order, found, operands))
                part[link.index] = g
                break
            residuals = node.residuals if fetch is None else fetch(node)
            kind = type(g)
            if pull is not None:
                cts = pull(node, g, residuals)
            elif kind in PARTIAL:
                cts = pulled(node, g, residuals)
            elif link.pull is None:
                cts = g
            else:
                cts = link.pull(g, residuals)
            if link.arity == 1:
                spec = operands.spec
                if type(cts) is not ndarray or cts.shape != spec.shape or cts.dtype is not spec.dtype:
                    if cts is None:
                        break
                    cts = settle(cts, spec, link)
                if operands.link is not None and (not heap or -heap[0][0] < operands.order):
                    node = operands  # nothing that waits can contribute to it: straight on
                    g = cts
                    continue
                add(operands, cts)
                break
            node = None
            for operand, ct in zip(operands, cts):
                if ct is None:
                    continue
                spec = operand.spec
                if type(ct) is not ndarray or ct.shape != spec.shape or ct.dtype is not spec.dtype:
                    ct = settle(ct, spec, link)
                if operand.link is None:
                    leaves[operand] = plus(leaves[operand], ct) if operand in leaves else ct
                elif operand is node:
                    g = plus(g, ct)
                elif node is None and operand not in pending:
                    node = operand
                    g = ct
                else:
                    add(operand, ct)
            if node is not None and heap and -heap[0][0] >= node.order:
                add(node, g)
                node = None
    return leaves


def zero_seeds(turns: Iterable[Turn]) -> list[tuple[Entry, Any]]:
    """Seeds of entries that are read in any case: zeros, to which comes what results ask for.

    The transpose of a message to other processes is one from them: they may ask for what no result here depends on. The
    zeros depend on what outer recordings know of the entry, so that these see the same of it in all processes.
    """
    return [(entry, zeros_of(entry.spec, known)) for entry, known in turns]


def zeros_of(spec: Any, known: dict[int, Any]) -> Any:
    """Zeros for a result, or for those of several that are known."""
    if type(spec) is tuple:
        return [zero_of(one, known[k]) if k in known else None for k, one in enumerate(spec)]
    return zero_of(spec, known[0])


def zero_of(slot: Spec, value: Any) -> Any:
    """Zeros, which depend on a traced value if there is one; None for what has no derivative."""
    if not slot.inexact:
        return None
    return zeros(slot, None) if value is None else where(np.zeros(slot.shape, bool), value, 0)


def pulled(node: Any, g: Any, residuals: Any) -> Any:
    """The cotangents of an entry's operands: one, or one for each."""
    link = node.link
    if type(g) is Quotient:
        ct = pull_relative(node, g, residuals) if type(link) is Link and link.arity == 1 else None
        if ct is not None:
            return ct
        g = g.absolute()
    if type(g) is Masked:
        return pull_masked(link, g, residuals)
    if type(g) is list and not link.partial:
        g = complete(g, node.spec)
    return g if link.pull is None else link.pull(g, residuals)


def pull_relative(node: Any, g: Quotient, residuals: Any) -> Any:
    """The cotangent of the one operand from what comes back through a logarithm; None to go the ordinary way."""
    link = node.link
    relative = link.primitive.relative
    if relative is None or not relative.applies(link.positions[0]):
        return None
    if relative.notes_numbers and residuals is None:
        residuals = getattr(node, "others", None)  # where nodes of Variables have them
    if relative.mixes:
        g = Quotient(unmasked(g.value), g.divisor, g.defined)
    return relative.back(g, link, residuals)


def complete(parts: list[Any], specs: tuple[Spec, ...]) -> tuple[Any, ...]:
    """The cotangents of several results, zero for those that nothing depends on."""
    arrays = [None if part is None else unmasked(part) for part in parts]
    like = next((part for part in arrays if part is not None), None)
    return tuple(zeros(spec, like) if part is None else part for part, spec in zip(arrays, specs, strict=True))


def pull_masked(link: Link, g: Masked, residuals: Any) -> Any:
    """Apply a link's rules to a masked cotangent, which stays masked where elements keep apart."""
    if link.pull is None:
        return g
    if link.elementwise:
        cts = link.pull(g.value, residuals)
        return restrict(cts, g, residuals) if link.arity == 1 else tuple(restrict(ct, g, residuals) for ct in cts)
    if link.moves:
        mask = broadcast_to(g.mask, shape=g.shape) if spec_of(g.mask).shape != g.shape else g.mask
        cts, masks = link.pull(g.value, residuals), link.pull(mask, residuals)
        if link.arity == 1:
            return part_of(cts, masks, g, g.clean)
        return tuple(part_of(ct, own, g, g.clean) for ct, own in zip(cts, masks, strict=True))
    cts = link.pull(unmasked(g), residuals)
    return adding_up(cts, link, g, residuals) if link.adds_selected or (link.adds and g.origin != SELECTION) else cts


def adding_up(cts: Any, link: Link, g: Masked, residuals: Any) -> Any:
    """What a rule made of a masked cotangent, by moving and adding up elements: it is there where some of them are."""
    shape, dtype = g.shape, g.dtype

    def reached(mask: Any) -> tuple[Any, ...]:
        assert link.pull is not None
        found = link.pull(ones_where(mask, shape, dtype), residuals)
        return tuple(map(not_zero, (found,) if link.arity == 1 else found))

    places = Later(reached, g.source, reduces=True)
    if link.arity == 1:
        return part_of(cts, Later(itemgetter(0), places), g, True)
    return tuple(part_of(ct, Later(itemgetter(k), places), g, True) for k, ct in enumerate(cts))


def part_of(ct: Any, mask: Any, g: Masked, clean: bool) -> Masked | None:
    """What a rule made of a masked cotangent, for one operand; nothing where it made nothing."""
    return None if ct is None else Masked(unmasked(ct), mask, clean, g.origin)


def not_zero(ones: Any) -> Any:
    """Where a cotangent that was made of ones is there."""
    if ones is None:
        return False
    return logical_and(not_equal(ones.value, 0), ones.mask) if type(ones) is Masked else not_equal(ones, 0)


def settle(ct: Any, slot: Spec, link: Link) -> Any:
    """Bring a cotangent to its operand's shape and dtype, or say that the rule is wrong."""
    if type(ct) is Quotient:
        if ct.fits(slot):
            return ct
        ct = ct.absolute()
    if type(ct) is Masked:
        if ct.shape == slot.shape:
            return in_slot(ct, slot)
        if link.elementwise:
            return in_slot(ct, slot) if stretches(ct.shape, slot.shape) else summed(ct, slot)
        ct = unmasked(ct)
    shape = spec_of(ct).shape
    if shape != slot.shape and not link.elementwise:
        raise RuleError(
            f"the derivative rule of {link.primitive.name} returned a cotangent of shape {shape} for an operand of "
            f"shape {slot.shape}; correct the rule"
        )
    return cut_alike(project(ct, slot), slot)
