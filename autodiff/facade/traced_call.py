"""A FunctionNode inside of ``grad`` and its like: its ``backward`` is the derivative there too."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.facade.configuration import using_config
from autodiff.facade.own_gradient import gradients
from autodiff.facade.type_check import check_operands
from autodiff.facade.variable import Variable
from autodiff.trace.recording import new_level
from autodiff.trace.traced import Traced
from autodiff.transforms.custom.vjp import custom_vjp

if TYPE_CHECKING:
    from autodiff.facade.function_node import FunctionNode


def call_traced(function: FunctionNode, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a FunctionNode for inputs of which some are traced."""
    places = [k for k, value in enumerate(inputs) if value is not None]

    def outputs(*values: Any) -> tuple[Any, ...]:
        return outputs_alone(function, placed(values, places, len(inputs)))

    def forward(*values: Any) -> tuple[Any, Any]:
        if any(isinstance(value, Traced) for value in values):
            return call(*values), (None, values)
        node, outs = applied(function, values, places, len(inputs))
        return outs, (node, values)

    def backward(kept: tuple[FunctionNode | None, tuple[Any, ...]], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        node, values = kept
        if node is None:  # the derivative is differentiated in turn
            node, _ = applied(function, [Variable(value) for value in values], places, len(inputs))
        return pulled(node, places, cotangents)

    call = custom_vjp(outputs)
    call.defvjp(forward, backward)
    return call(*(inputs[k] for k in places))  # type: ignore[no-any-return]


def outputs_alone(function: FunctionNode, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What ``forward`` returns, without a graph."""
    check_operands(function.label, function.check_type_forward, values)
    return copy.copy(function)._run(values)


def applied(
    function: FunctionNode, values: Sequence[Any], places: Sequence[int], count: int
) -> tuple[FunctionNode, tuple[Any, ...]]:
    """A copy of the function that was applied, and the arrays of its outputs."""
    variables = [value if isinstance(value, Traced) else Variable(np.asarray(value)) for value in values]
    node = copy.copy(function)
    with using_config("enable_backprop", True):
        outs = node.apply(placed(variables, places, count))
    node._kept_outputs = outs  # type: ignore[attr-defined] # the backward pass may ask for them
    return node, tuple(out.array if isinstance(out, Variable) else out for out in outs)


def placed(values: Sequence[Any], places: Sequence[int], count: int) -> tuple[Any, ...]:
    """The values at their places among ``count``, None elsewhere."""
    found = dict(zip(places, values, strict=True))
    return tuple(found.get(place) for place in range(count))


def pulled(node: FunctionNode, places: Sequence[int], cotangents: Sequence[Any]) -> tuple[Any, ...]:
    """The cotangents of the inputs that are not None."""
    assert node.inputs is not None
    assert node.outputs is not None
    for known in (*node.inputs, *(reference() for reference in node.outputs)):
        known.level = new_level()  # the backward pass may be traced: its Variables belong inside of that trace
    grads = tuple(Variable(g if isinstance(g, Traced) else np.asarray(g)) for g in cotangents)
    wanted = tuple(k for k in places if node.inputs[k].dtype.kind in "fc")
    with using_config("enable_backprop", any(isinstance(g, Traced) for g in cotangents)):
        found = dict(zip(wanted, gradients(node, wanted, grads), strict=True))
    return tuple(None if (g := found.get(k)) is None else g.array for k in places)
