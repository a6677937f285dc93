"""Links: initial weights, outputs, gradients of parameters and inputs, and the state after the call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.chainer.recorded.arrays import Input
from tests.chainer.recorded.case import Case, Facts
from tests.chainer.recorded.differentiation import drawn, outputs_of
from tests.chainer.recorded.names import chainer


@dataclass
class LinkCase(Case):
    """`function(link, *inputs)` on a link that `build` makes with NumPy's generator at a fixed state."""

    build: Callable[[], Any] = None  # type: ignore[assignment]

    def facts(self, dtype: str) -> Facts:
        with chainer.using_config("dtype", np.dtype(dtype)):
            link = self.build()
            facts = state("initial", link)
            variables = self.variables(dtype)
            found, outputs = outputs_of(self.function(link, *variables))
            facts.update(found)
            facts.update(self.backward(link, variables, outputs, dtype))
            facts.update(state("final", link))
        return facts

    def backward(self, link: Any, variables: list[Any], outputs: list[Any], dtype: str) -> Facts:
        if not outputs or dtype == "e":
            return {}
        link.cleargrads()
        for i, output in enumerate(outputs):
            output.grad = drawn(f"{self.name} cotangent {i}", output)
        chainer.backward(outputs)
        named = {f"gradient of {name}": parameter.grad for name, parameter in link.namedparams(include_uninit=False)}
        inputs = (x for x, spec in zip(variables, self.inputs) if spec.differentiable)
        named.update({f"gradient {i}": x.grad for i, x in enumerate(inputs)})
        return {name: None if grad is None else np.array(grad) for name, grad in named.items()}


def state(moment: str, link: Any) -> Facts:
    """What a serializer would write: parameters and persistent values by their keys."""
    target = chainer.serializers.DictionarySerializer()
    target.save(link)
    return {f"{moment} {key}": as_state(value) for key, value in target.target.items()}


def as_state(value: Any) -> Any:
    value = np.array(value)
    return None if value.dtype == object else value


def link(
    name: str,
    build: Callable[[], Any],
    *inputs: Input,
    call: Any = None,
    dtypes: str = "fd",
    tolerance: float = 1.0,
    **settings: Any,
) -> Case:
    return LinkCase(name, call or (lambda link, *xs: link(*xs)), inputs, dtypes, tolerance, settings, build)
