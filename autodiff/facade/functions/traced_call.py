"""A FunctionNode inside of ``grad`` and its like: its ``backward`` is the derivative there too."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.facade.functions.applied import AppliedFunction
from autodiff.facade.functions.own_gradient import gradients
from autodiff.facade.functions.type_check import check_operands
from autodiff.facade.settings.configuration import using_config
from autodiff.facade.variables.variable import Variable
from autodiff.trace.primitive import newest_traced
from autodiff.trace.recording import new_level
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.transforms.custom.vjp import custom_vjp


def call_traced(function: AppliedFunction, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a FunctionNode for inputs of which some are traced."""
    refuse_mixture(function, inputs)
    places = [k for k, value in enumerate(inputs) if value is not None]
    count = len(inputs)  # what follows is kept on tapes, and must not refer to the inputs

    def outputs(*values: Any) -> tuple[Any, ...]:
        return outputs_alone(function, placed(values, places, count))

    def forward(*values: Any) -> tuple[Any, Any]:
        if newest_traced(values) is not None:
            return call_traced(function, placed(values, places, count)), (None, values)
        done = Applied(function, placed(values, places, count))
        return done.arrays(), (done, values)

    def backward(kept: tuple[Applied | None, tuple[Any, ...]], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        done, values = kept
        if done is None:  # the derivative is differentiated in turn
            done = Applied(function, placed(values, places, count))
        return done.pull(places, cotangents)

    outputs.__qualname__ = outputs.__name__ = function.label
    call = custom_vjp(outputs)
    call.defvjp(forward, backward)
    return call(*(inputs[k] for k in places))  # type: ignore[no-any-return]


def refuse_mixture(function: AppliedFunction, inputs: Sequence[Any]) -> None:
    """See that no Variable from outside meets traced values: its own gradient would be lost.

    Raises:
        TypeError: if one does.
    """
    if any(isinstance(value, Tracer) for value in inputs) and any(isinstance(value, Variable) for value in inputs):
        raise TypeError(
            f"{function.label} was applied to traced values of grad, vmap, ... and to a Variable from outside"
            f"{at_user_line()}, whose own gradient would be lost; pass its .array if it is constant there, or make the "
            "model a function of its parameters with autodiff.functional"
        )


def outputs_alone(function: AppliedFunction, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What ``forward`` returns, without a graph."""
    check_operands(function.label, function.check_type_forward, values)
    return copy.copy(function)._run(values)


def placed(values: Sequence[Any], places: Sequence[int], count: int) -> tuple[Any, ...]:
    """The values at their places among ``count``, None elsewhere."""
    found = dict(zip(places, values, strict=True))
    return tuple(found.get(place) for place in range(count))


class Applied:
    """A copy of a function that was applied, and its outputs, for which the backward pass may ask.

    Args:
        function: the function.
        values: its inputs: arrays, traced values or None.
    """

    def __init__(self, function: AppliedFunction, values: Sequence[Any]) -> None:
        self.node = copy.copy(function)
        variables = [None if value is None else as_input(value) for value in values]
        with using_config("enable_backprop", True):
            self.outputs = self.node.apply(variables)

    def arrays(self) -> tuple[Any, ...]:
        """The arrays of the outputs."""
        return tuple(output._array for output in self.outputs)

    def pull(self, places: Sequence[int], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        """The cotangents of the inputs that are not None."""
        inputs = self.node.inputs
        assert inputs is not None
        for node in (*inputs, *(output.node for output in self.outputs)):
            node.level = new_level()  # the backward pass may be traced: its Variables belong inside of that trace
        grads = tuple(as_input(g) for g in cotangents)
        wanted = tuple(k for k in places if inputs[k].dtype.kind in "fc")
        with using_config("enable_backprop", newest_traced(tuple(cotangents)) is not None):
            found = dict(zip(wanted, gradients(self.node, wanted, grads), strict=True))
        return tuple(None if (g := found.get(k)) is None else g._array for k in places)


def as_input(value: Any) -> Variable:
    """A Variable of its own."""
    return Variable(value if isinstance(value, Traced) else np.asarray(value))
