"""The fast path through recording, for operations of one or two operands on a live tape.

It does what :meth:`Differentiation.record <autodiff.trace.live.Differentiation.record>` does for any primitive,
written out for the two cases that nearly every step of a program is made of. It exists for speed alone: about one
microsecond an operation, half of which is NumPy's own. Whatever is unusual goes the long way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from numpy import asarray, generic, ndarray

from autodiff.trace.errors import LeafError
from autodiff.trace.failures.operations import explained
from autodiff.trace.link import Link, needed_names
from autodiff.trace.live import EXPLAINED, SMALL, Entry
from autodiff.trace.primitive import Primitive, newest_traced
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import is_chunked, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import on_gpu
from autodiff.trace.values.deferring import left_to_other

Operation = Callable[..., Any]
OPERANDS = (ndarray, generic, bool, int, float, complex, Traced)
SEQUENCES = (list, tuple, range)
LISTS: dict[str, Operation] = {"array": asarray}
"""What makes arrays of lists and tuples: :mod:`autodiff.numpy.dispatch` enters what stacks traced values in them."""

CONSTANTS = (ndarray, float, int)
FAILED = (*EXPLAINED, AttributeError)
"""What NumPy raises of a constant: the last one of Python objects, which it asks for methods."""

new = object.__new__
getrefcount = sys.getrefcount


def unary(primitive: Primitive, apply: Operation) -> Operation:
    """A function of one operand that records ``primitive``; ``apply`` computes the value."""
    if primitive.rule(0) is None or primitive.view:
        return lambda x: record(primitive, (x,), apply)
    link = primitive.link((0,))
    keeps_value = bool(link.kept)
    collect = link.collect

    def call(x: Any) -> Any:
        if bodies or type(x) is not Tracer or not x.recording.linked:
            return record(primitive, (x,), apply)
        value = x.primal
        entry = x.slot
        try:
            out = apply(value)
        except EXPLAINED as error:
            raise explained(error, primitive.name, (x,)) from None
        if keeps_value and entry.link is None:
            value = x.recording.keep_input(x)
        return append(x.recording, link, entry, collect((value,), out, None), entry.order, entry.spec, out)

    return call


def binary(primitive: Primitive, apply: Operation, long_way: Operation | None = None) -> tuple[Operation, Operation]:
    """Functions ``forward(x, y)`` with ``x`` traced and ``reflected(y, x)`` with ``y`` traced.

    Both record ``primitive(x, y)``; the second has its operands in the order of Python's reflected operators.
    ``long_way`` is what records where the fast path cannot, by default :func:`record`.
    """
    long_way = long_way or record
    if not any(primitive.rules):
        return comparison(primitive, apply)
    if primitive.rule(0) is None or primitive.rule(1) is None:
        return (lambda x, y: record(primitive, (x, y), apply)), (lambda y, x: record(primitive, (x, y), apply))

    def general(x: Any, y: Any) -> Any:
        return long_way(primitive, (x, y), apply)

    def general_reflected(y: Any, x: Any) -> Any:
        return record(primitive, (x, y), apply)

    both = traced_operands(primitive, apply, general)
    return (
        constant_operand(primitive, apply, primitive.link((0,)), both),
        constant_operand(primitive, apply, primitive.link((1,)), general_reflected),
    )


def comparison(primitive: Primitive, apply: Operation) -> tuple[Operation, Operation]:
    """The same where nothing has a derivative: with a constant nothing is recorded on a live tape."""

    def forward(x: Any, c: Any) -> Any:
        if bodies or not x.recording.linked or type(c) not in CONSTANTS:
            return record(primitive, (x, c), apply)
        return apply(x.primal, c)

    def reflected(x: Any, c: Any) -> Any:
        if bodies or not x.recording.linked or type(c) not in CONSTANTS:
            return record(primitive, (c, x), apply)
        return apply(c, x.primal)

    return forward, reflected


def constant_operand(primitive: Primitive, apply: Operation, link: Link, otherwise: Operation) -> Operation:
    """A function of a traced operand, at the link's position, and a constant one."""
    position = link.positions[0]
    keeps_value = position in link.kept
    keeps_constant = 1 - position in link.kept
    rule = primitive.rule(position)
    keeps_constant_alone = rule is not None and needed_names(rule) == (primitive.operands[1 - position],)
    collect = link.collect

    def call(x: Any, c: Any) -> Any:
        recording = x.recording
        kind = type(c)
        if bodies or not recording.linked or not (kind is ndarray or kind is float or kind is int):
            return otherwise(x, c)
        value = x.primal
        entry = x.slot
        try:
            out = apply(c, value) if position else apply(value, c)
        except FAILED as error:
            if kind is ndarray and c.dtype.kind == "O":
                return otherwise(x, c)
            raise explained(error, primitive.name, (c, x) if position else (x, c)) from None
        if type(value) is not ndarray and kind is ndarray and c.dtype.kind == "O":  # an older recording has taken it
            return otherwise(x, c)
        if keeps_constant and kind is ndarray and (getrefcount(c) > TEMPORARY or c.base is not None):
            c = c.copy() if c.nbytes <= SMALL else recording.keep(c)
        if keeps_constant_alone:
            residuals = c
        else:
            if keeps_value and entry.link is None:
                value = recording.keep_input(x)
            residuals = collect((c, value) if position else (value, c), out, None)
        try:
            return append(recording, link, entry, residuals, entry.order, entry.spec, out)
        except LeafError:  # the constant is an array of Python objects, of which only the numbers can take part
            return otherwise(x, c)

    return call


def traced_operands(primitive: Primitive, apply: Operation, otherwise: Operation) -> Operation:
    """A function of two traced operands."""
    link = primitive.link((0, 1))
    keeps = bool(link.kept)
    collect = link.collect

    def call(x: Any, y: Any) -> Any:
        recording = x.recording
        if bodies or type(y) is not Tracer or y.recording is not recording or not recording.linked:
            return otherwise(x, y)
        a, b = x.primal, y.primal
        first, second = x.slot, y.slot
        try:
            out = apply(a, b)
        except EXPLAINED as error:
            raise explained(error, primitive.name, (x, y)) from None
        if keeps:
            if first.link is None:
                a = recording.keep_input(x)
            if second.link is None:
                b = recording.keep_input(y)
        order = first.order if first.order > second.order else second.order
        return append(recording, link, (first, second), collect((a, b), out, None), order, first.spec, out)

    return call


def append(recording: Any, link: Link, operands: Any, residuals: Any, order: int, likely: Any, out: Any) -> Any:
    """A traced value for ``out``, with the entry that says where it came from."""
    if type(out) is not ndarray or out.shape != likely.shape or out.dtype is not likely.dtype:
        likely = spec_of(out)
        if not likely.inexact:
            return out
    entry = new(Entry)
    entry.link = link
    entry.operands = operands
    entry.residuals = residuals
    entry.order = order + 1
    entry.spec = likely
    tracer = new(Tracer)
    tracer.primal = out
    tracer.recording = recording
    tracer.slot = entry
    return tracer


def record(primitive: Primitive, operands: tuple[Any, ...], apply: Operation) -> Any:
    """The long way. What is neither array nor number is left to the other operand; lists count as arrays."""
    for operand in operands:
        if not isinstance(operand, OPERANDS) and not on_gpu(operand) and not is_chunked(operand):
            if not isinstance(operand, SEQUENCES):
                return left_to_other(primitive.name, operands)
            whole = LISTS["array"]
            return record(primitive, tuple(whole(o) if isinstance(o, SEQUENCES) else o for o in operands), apply)
    newest = newest_traced(operands)
    own = apply if primitive.on_gpu is None else None  # which function runs depends on where the operands lie
    if newest is None:
        return (own or primitive)(*operands)
    body = innermost_body() if bodies else None
    if body is not None and body.level > newest.level:
        return body.record(primitive, operands, {}, own)
    return newest.record(primitive, operands, {}, own)


def _temporary_count() -> int:
    """How many references a temporary array has inside :func:`constant_operand`'s function.

    Newer interpreters borrow references to local variables, so that a variable's array looks like a temporary:
    there nothing counts as one.
    """
    if sys.version_info >= (3, 14):
        return 0
    seen: list[int] = []

    class Probe:
        def __mul__(self, c: Any) -> None:
            seen.append(getrefcount(c))

    Probe() * ndarray(1)
    return seen[0]


TEMPORARY = _temporary_count()
