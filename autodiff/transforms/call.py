"""A function as one operation: recorded to a tape, which the operation carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from autodiff.ops.shape import broadcast_to
from autodiff.trace.errors import run_user_code
from autodiff.trace.primitive import Primitive, newest_traced
from autodiff.trace.recording import TracingBody, innermost_body
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.staging import Body
from autodiff.trace.tape import Tape
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.batch import run_batched
from autodiff.transforms.results import aux_leaf


class Recorded(NamedTuple):
    """A function that was recorded at some arguments, which stay what they are outside.

    Attributes:
        tape: without constants; its inputs are the traced leaves of the arguments, then the captures, then the arrays
            that the function closed over.
        operands: the values of the inputs.
        captures: how many of them are captures.
        known: the tape's outputs, where values were computed on the way.
        rebuild: gives the function's result from the tape's outputs.
    """

    tape: Tape
    operands: list[Any]
    captures: int
    known: tuple[Any, ...] | None
    rebuild: Callable[[Sequence[Any]], Any]


def record_call(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], all_inputs: bool = False
) -> Recorded:
    """Run a function with its traced arguments, and whatever it closes over, recorded.

    Plain arguments stay plain for the function. Values are computed where they are known, so that Python can branch
    on them.

    Args:
        fun: the function.
        args: its arguments, trees.
        kwargs: its keyword arguments.
        all_inputs: whether plain leaves have their places among the tape's inputs too.
    """
    leaves, structure = flatten((tuple(args), dict(kwargs)))
    values = [concrete(leaf) for leaf in leaves]
    traced = [isinstance(leaf, Traced) for leaf in leaves]
    with_values = values_are_known() and not any(type(value) is Spec for value in values)
    body = Body(with_values)
    inside = list(leaves)
    for k, leaf in enumerate(leaves):
        if traced[k] or all_inputs:
            tracer = body.input(values[k] if with_values else spec_of(leaf))
            inside[k] = tracer if traced[k] else leaf
    try:
        with TracingBody(body):
            positional, named = structure.unflatten(inside)
            outs, results = flatten(run_user_code(lambda: fun(*positional, **named), ()))
            outs = [out.seen_from(body.level) if isinstance(out, Traced) else aux_leaf(out) for out in outs]
        returned = [k for k, out in enumerate(outs) if isinstance(out, Tracer) and out.recording is body]
        staged = body.freeze([outs[k] for k in returned], structure, results)
        known = tuple(outs[k].primal for k in returned) if with_values else None
    finally:
        body.close()

    def rebuild(found: Sequence[Any]) -> Any:
        full = list(outs)
        for k, value in zip(returned, found, strict=True):
            full[k] = value
        return results.unflatten(full)

    tape = replace(staged.tape, constants=(), arguments=None, results=None)
    operands = [
        *(leaf for leaf, own in zip(leaves, traced, strict=True) if own or all_inputs),
        *staged.captures,
        *staged.tape.constants,
    ]
    return Recorded(tape, operands, len(staged.captures), known, rebuild)


def values_are_known() -> bool:
    """Whether the code that runs now, in this thread, computes with values."""
    body = innermost_body()
    return body is None or (isinstance(body, Body) and body.with_values)


def apply_known(
    primitive: Primitive, operands: Sequence[Any], params: Mapping[str, Any], known: tuple[Any, ...] | None
) -> Any:
    """Call a primitive whose results are known already: every recording takes note of it, none runs it."""
    if known is None:
        return primitive(*operands, **params)
    newest = newest_traced(tuple(operands))
    if newest is None:
        return known

    def apply(*values: Any, **_: Any) -> Any:
        return apply_known(primitive, values, params, known)

    body = innermost_body()
    if body is not None and body.level > newest.level:
        return body.record(primitive, operands, params, apply)
    return newest.record(primitive, operands, params, apply)


def run_for_batch(tape: Tape, values: Sequence[Any], batched: Sequence[bool], size: int) -> tuple[Any, ...]:
    """A tape's outputs for a batch; those that are the same for all examples are repeated."""
    return tuple(
        value if is_batched else broadcast_to(value, shape=(size, *spec_of(value).shape))
        for value, is_batched in run_batched(tape, values, batched, size)
    )
