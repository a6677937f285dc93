"""Functions of Variables as one node of the graph each, whatever they are composed of.

The function runs once, on values that record themselves as inside of ``vjp``; its node keeps that recording and reads
it backwards. Where gradients are Variables in turn, the function is run again, on Variables. A function that is called
often runs as a program, which computes the same (:mod:`autodiff.facade.compiled`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.facade.compiled.tier import tier_of, tiers
from autodiff.facade.functions.type_check import check_conditions
from autodiff.facade.graph.changes import note_kept_inside
from autodiff.facade.graph.composition import Composition, composition_link
from autodiff.facade.graph.creator import Operation as OperationOfGraph
from autodiff.facade.graph.known_operands import Operands
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.graph.observing import announced, observed
from autodiff.facade.graph.recording import connected, recorded, unlinked
from autodiff.facade.graph.replacing import replacement
from autodiff.facade.settings.configuration import config, deviations
from autodiff.facade.settings.current import on_gpu_of
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.live import Differentiation
from autodiff.trace.recording import Recording, bodies, innermost_body, new_level
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import check_places

Function = Callable[..., Any]
Check = Callable[..., Any]


def apply(
    label: str, fun: Function, inputs: Sequence[Any], check: Check | None = None, noted: list[Any] | None = None
) -> Any:
    """Call a function of arrays on Variables, as one node of their graph.

    Args:
        label: the name of the node.
        fun: a pure function of the inputs, written with NumPy, which returns an array or a tuple of arrays. It may be
            run again to differentiate gradients: random numbers are drawn, and state is changed, outside of it.
        inputs: Variables, or arrays. Values that are traced by a transformation of the user's program are handed to
            ``fun`` as they are, and so is what it returns.
        check: a function of the inputs' specs that returns a condition or a tuple of conditions.
        noted: a list, empty, that ``fun`` closes over and fills with further arrays that it computes, for its caller to
            see. They may be traced: :func:`~autodiff.trace.tracer.concrete` gives the arrays.

    Returns:
        a Variable, or a tuple of Variables. It requires a gradient if one of the inputs does.

    Raises:
        TypeError: if an input is no array.
        InvalidType: if a condition of ``check`` does not hold.

    >>> import numpy as np
    >>> x = Variable(np.array([0.0, 1.0]))
    >>> y = apply("Mish", lambda x: x * np.tanh(np.log1p(np.exp(x))), (x,))
    >>> y.creator.label
    'Mish'
    >>> y.grad = np.ones(2)
    >>> y.backward()
    >>> x.grad.round(3)
    array([0.6  , 1.049])
    """
    newest = None
    for value in inputs:
        if isinstance(value, Traced):
            if newest is None or value.level > newest.level:
                newest = value
        elif not is_array(value):
            refuse_input(label, inputs)
    if deviations:
        own = replacement(label)
        if own is not None:
            return own(label, fun, inputs, check)
        if check is not None and config.type_check:
            check_conditions(label, check, inputs)
    elif check is not None:
        check_conditions(label, check, inputs)
    elsewhere = recorded_elsewhere(newest)
    if elsewhere is not None:
        return apply_elsewhere(label, fun, inputs, elsewhere, noted)
    operation = Operands(inputs, differentiable)
    if operation.needs and not operation.positions:
        operation.positions = whole_numbers(operation)
    level = new_level() if newest is None else newest.level
    check_places(label, operation.values)
    with on_gpu_of(label, operation.values):
        return apply_here(label, fun, operation, level, noted)


def apply_elsewhere(
    label: str, fun: Function, inputs: Sequence[Any], elsewhere: Recording, noted: list[Any] | None
) -> Any:
    """The same where a transformation of the user's program records."""
    values = [elsewhere.lift(value) if isinstance(value, Variable) else value for value in inputs]
    if type(elsewhere) is Differentiation and not deviations:
        tier = tiers.get(label) or tier_of(label)
        tier.left -= 1
        found = tier.attempt_traced(fun, values, noted) if tier.left < 0 else None
        if found is not None:
            return found
    return fun(*values)


def apply_here(label: str, fun: Function, operation: Operands, level: int, noted: list[Any] | None) -> Any:
    """The same where the arrays are."""
    if deviations:
        return apply_watched(label, fun, operation, level, noted)
    tier = tiers.get(label) or tier_of(label)
    tier.left -= 1
    found = tier.attempt(fun, operation, tuple(operation.positions), noted) if tier.left < 0 else None
    if found is not None:
        return linked(label, found[1], operation, found[0], level)
    composition = Composition(fun, operation)
    return linked(label, composition, operation, composition.run(*operation.values), level)


def apply_watched(label: str, fun: Function, operation: Operands, level: int, noted: list[Any] | None) -> Any:
    """The same where something is unusual: no graph is built, or somebody watches."""
    sketch = announced(label, operation.rank)
    graph = recorded(operation)
    found = None
    if sketch is not None:
        sketch.fun = fun
    else:
        tier = tiers.get(label) or tier_of(label)
        tier.left -= 1
        if tier.left < 0:
            found = tier.attempt(fun, operation, tuple(operation.positions) if graph else (), noted)
    if not graph:
        run = fun if sketch is None else observed(sketch, fun)
        return unlinked(operation, run(*operation.values) if found is None else found[0], level)
    if found is not None:
        return linked(label, found[1], operation, found[0], level)
    composition = Composition(fun, operation)
    out = (composition.run if sketch is None else observed(sketch, composition.run))(*operation.values)
    return linked(label, composition, operation, out, level, sketch)


def linked(
    label: str,
    composition: Composition,
    operation: Operands,
    out: Any,
    level: int,
    sketch: OperationOfGraph | None = None,
) -> Any:
    """The results of a composition, linked to the operands."""
    for entry, value in zip(operation.entries, operation.values, strict=True):
        if type(entry) is VariableNode:
            entry.data = value  # also of those that are not differentiated: the function may be run again
    if sketch is not None:
        note_kept_inside(sketch, composition, operation, out)
    return connected(operation, composition_link(label, tuple(operation.positions)), composition, out, level, sketch)


def refuse_input(label: str, inputs: Sequence[Any]) -> None:
    """Say that inputs are not arrays."""
    kinds = ", ".join(str(type(value)) for value in inputs)
    raise TypeError(
        f"incompatible array types are mixed in the forward input ({label}).\nActual: {kinds}{at_user_line()}\n"
        "Pass Variables or arrays; np.asarray makes an array of a list or a number."
    )


def recorded_elsewhere(newest: Traced | None) -> Recording | None:
    """The recording of the user's program to which the operations belong, if it is not the graph of Variables."""
    if newest is None:
        return None
    body = innermost_body() if bodies else None
    if body is not None and body.level > newest.level:
        return body
    return newest.recording if isinstance(newest, Tracer) else None


def differentiable(value: Any, position: int) -> bool:
    """Whether an input has a derivative."""
    return value.dtype.kind in "fc"


def whole_numbers(operation: Operands) -> list[int]:
    """The positions of integers through which gradients flow: of all that require one, where all inputs are integers.

    They are moved or added then. Beside numbers that have a derivative they are labels and places, which have none.
    """
    if any(value.dtype.kind not in "iub" for value in operation.values):
        return []
    return [
        position
        for position, (entry, value) in enumerate(zip(operation.entries, operation.values, strict=True))
        if type(entry) is VariableNode and entry._requires_grad and value.dtype.kind in "iu"
    ]
