"""The same training twice: as functions of arrays, and with Parameters that carry their gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff
from autodiff.demo.adam import Adam
from autodiff.demo.network import Batch, loss


@dataclass(frozen=True)
class Trained:
    """The parameters at the end, as plain arrays, and the loss of every step."""

    parameters: dict[str, Any]
    losses: list[float]


def train_functions(start: Mapping[str, Any], batches: Iterable[Batch]) -> Trained:
    """`value_and_grad(loss)` maps parameters and a batch to the loss and its gradients."""
    parameters, adam, losses = dict(start), Adam(), []
    for batch in batches:
        value, gradients = autodiff.value_and_grad(loss)(parameters, batch)
        parameters = adam.step(parameters, gradients)
        losses.append(float(value))
    return Trained(parameters, losses)


def train_variables(start: Mapping[str, Any], batches: Iterable[Batch]) -> Trained:
    """`loss(...)` of Parameters is a Variable; its `backward()` leaves the gradients on the Parameters."""
    parameters: dict[str, Any] = {name: autodiff.Parameter(array.copy()) for name, array in start.items()}
    adam, losses = Adam(), []
    for batch in batches:
        for parameter in parameters.values():
            parameter.cleargrad()
        value = loss(parameters, batch)
        value.backward()
        stepped = adam.step(arrays(parameters), {name: each.grad for name, each in parameters.items()})
        for name, array in stepped.items():
            parameters[name].array = array
        losses.append(float(value.array))
    return Trained(arrays(parameters), losses)


def arrays(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the Parameters hold."""
    return {name: parameter.array for name, parameter in parameters.items()}


def difference(one: Trained, other: Trained) -> float:
    """The largest absolute difference between any two parameters."""
    pairs = ((one.parameters[name], other.parameters[name]) for name in one.parameters)
    return max(float(np.max(np.abs(left - right))) for left, right in pairs)
