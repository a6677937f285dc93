"""Recurrent layers as one node of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.chainer.functions.rnn.packed import (
    Layer,
    check_layers,
    check_sequences,
    check_width,
    dropout_masks,
    run_layers,
)
from autodiff.facade.graph.applying import apply

Make = Callable[[Sequence[Any], Sequence[Any]], Layer]


def recurrence(
    label: str, make: Make, each: int, n_layers: int, directions: int, dropout_ratio: float,
    states: tuple[Any, ...], ws: Any, bs: Any, xs: Any, checks_width: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """The final states and the outputs of all steps.

    Args:
        label: the name of the node.
        make: gives projection and cell of a layer from its weights and biases.
        each: how many weights, and how many biases, a layer has.
        n_layers: how many layers.
        directions: 1, or 2 for forwards and backwards.
        dropout_ratio: the share of the inputs of layers that is dropped.
        states: the initial states.
        ws: weights for each layer and direction.
        bs: biases for each layer and direction.
        xs: the inputs of each step.
        checks_width: whether inputs of another width than the weights are a ValueError, not an InvalidType.
    """
    check_layers(n_layers, directions, ws, bs, each)
    xs = check_sequences(xs)
    if checks_width:
        check_width(xs, ws)
    count = n_layers * directions
    masks = dropout_masks(xs, n_layers, directions, states[0].shape[-1] * directions, dropout_ratio)
    ends = (len(states), len(states) + count * each, len(states) + 2 * count * each)

    def run(*values: Any) -> tuple[Any, ...]:
        weights, biases = values[ends[0] : ends[1]], values[ends[1] : ends[2]]
        layers = [make(weights[k : k + each], biases[k : k + each]) for k in range(0, count * each, each)]
        return run_layers(layers, values[: ends[0]], values[ends[2] :], masks, directions)

    flat = (*states, *(w for layer in ws for w in layer), *(b for layer in bs for b in layer), *xs)
    results: tuple[Any, ...] = apply(label, run, flat, check=lambda *types: fitting(types, ends, count))
    return results


def fitting(types: Any, ends: tuple[int, int, int], count: int) -> tuple[Any, ...]:
    """The conditions on states, weights, biases and inputs."""
    h, w, first = types[0], types[ends[0]], types[ends[2]]
    return (
        h.dtype.kind == "f", h.ndim == 3, h.shape[0] == count, h.shape[1] >= first.shape[0],
        *(state.shape == h.shape for state in types[1 : ends[0]]),
        *(other.dtype == h.dtype for other in types[1:]),
        w.ndim == 2, w.shape[0] == h.shape[2],
        *(bias.shape[0] == h.shape[2] for bias in types[ends[1] : ends[2]]),
        *(x.ndim == 2 for x in types[ends[2] :]), *(x.shape[1] == w.shape[1] for x in types[ends[2] :]),
    )  # fmt: skip
