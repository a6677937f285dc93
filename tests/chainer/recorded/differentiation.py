"""Outputs, gradients and double gradients of a function of Variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.chainer.recorded.arrays import Input
from tests.chainer.recorded.case import Case, Facts, random, row_name
from tests.chainer.recorded.names import F, Missing, Name, chainer


class FunctionCase(Case):
    """Values and labels of outputs; in float32 and float64 the gradients for a fixed cotangent, and once more."""

    def facts(self, dtype: str) -> Facts:
        variables = self.variables(dtype)
        try:
            facts, outputs = outputs_of(self.function(*variables))
        except chainer.utils.type_check.InvalidType.value() as error:  # a dtype that the function does not take
            return {"rejected": str(error)}
        inputs = [x for x, spec in zip(variables, self.inputs) if spec.differentiable]
        if outputs and inputs and dtype != "e":
            cotangents = [chainer.Variable(drawn(f"{self.name} cotangent {i}", y)) for i, y in enumerate(outputs)]
            facts.update(gradients(outputs, inputs, cotangents))
            facts.update(double_gradients(self.name, outputs, inputs, cotangents))
        return facts

    def swept(self, dtype: str) -> Facts:
        """The same gradients, left on the inputs by a sweep backwards."""
        variables = self.variables(dtype)
        outputs = outputs_of(self.function(*variables))[1]
        for i, output in enumerate(outputs):
            output.grad = drawn(f"{self.name} cotangent {i}", output)
        chainer.backward(outputs)
        inputs = [x for x, spec in zip(variables, self.inputs) if spec.differentiable]
        return {f"gradient {i}": None if x.grad is None else np.array(x.grad) for i, x in enumerate(inputs)}


def outputs_of(result: Any) -> tuple[Facts, list[Any]]:
    """What is recorded of outputs, and those that can be differentiated."""
    outputs = flattened(result)
    facts, differentiable = {}, []
    for i, output in enumerate(outputs):
        facts[f"output {i}"] = np.array(getattr(output, "array", output))
        if hasattr(output, "creator_node"):
            creator = output.creator_node
            if creator is None or creator.rank == 0:  # of a function that Chainer composes, only the last part shows
                facts[f"label {i}"] = None if creator is None else creator.label
            if output.dtype.kind == "f" and creator is not None:
                differentiable.append(output)
    return facts, differentiable


def flattened(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [output for part in result for output in flattened(part)]
    return [] if result is None else [result]


def drawn(text: str, like: Any) -> np.ndarray:
    draws = random(text)
    return np.asarray(draws.randint(1, 9, like.shape) * draws.choice([-0.125, 0.125], like.shape), like.dtype)


def gradients(outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any]) -> Facts:
    grads = chainer.grad(outputs, inputs, grad_outputs=cotangents)
    return {f"gradient {i}": array_of(grad) for i, grad in enumerate(grads)}


def double_gradients(name: str, outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any]) -> Facts:
    """Gradients of `sum(gradient * fixed)` with respect to the inputs and then the cotangents."""
    try:
        first = chainer.grad(outputs, inputs, grad_outputs=cotangents, enable_double_backprop=True)
        first = [grad for grad in first if grad is not None]
        if not first:
            return {}
        # A sum, and not several outputs of grad: gradients of two inputs may be one Variable.
        total = sum(F.sum(grad * drawn(f"{name} second {i}", grad)) for i, grad in enumerate(first))
        second = chainer.grad([total], [*inputs, *cotangents])
    except Missing:
        raise
    except Exception as error:
        return {"no double gradient": f"{type(error).__name__}: {error}"}
    return {f"double gradient {i}": array_of(grad) for i, grad in enumerate(second)}


def array_of(variable: Any) -> np.ndarray | None:
    return None if variable is None else np.array(variable.array)


def row(
    function: Name, *inputs: Input, note: str = "", dtypes: str = "fd", tolerance: float = 1.0, **keywords: Any
) -> Case:
    """`function(*inputs, **keywords)`, named after both."""
    name = row_name(function, keywords, note)
    return FunctionCase(name, lambda *xs: function(*xs, **keywords), inputs, dtypes, tolerance)


def many(function: Name, *inputs: Input, note: str = "", dtypes: str = "fd", **keywords: Any) -> Case:
    """`function(inputs, **keywords)` for functions of a sequence."""
    name = row_name(function, keywords, note)
    return FunctionCase(name, lambda *xs: function(list(xs), **keywords), inputs, dtypes)


def case(name: str, function: Any, *inputs: Input, dtypes: str = "fd", tolerance: float = 1.0, **settings: Any) -> Case:
    """Any function of Variables; `settings` are configuration entries."""
    return FunctionCase(name, function, inputs, dtypes, tolerance, settings)
