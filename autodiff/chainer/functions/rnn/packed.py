"""Recurrent layers over sequences of different lengths, which are sorted by length and packed.

Everything that does not depend on the state is computed for all steps at once: the input projections of a layer and a
direction are one product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line

Cell = Callable[..., tuple[Any, ...]]
Layer = tuple[Callable[[Any], Any], Cell]
"""The projection of all inputs, and what makes a step's projection and the states to the next states."""


def run_layers(
    layers: Sequence[Layer], states: Sequence[Any], xs: Sequence[Any], masks: Sequence[Any], directions: int
) -> tuple[Any, ...]:
    """The final states, each stacked over layers and directions, and the output of each step.

    Args:
        layers: for each layer and direction.
        states: the initial states, each ``(layers * directions, batch, units)``; the first is the output.
        xs: the inputs of the steps, ``(batch, inputs)``, the batch never growing; the last rows of the states belong
            to empty sequences if the first step has fewer.
        masks: factors of each layer's inputs, for all steps at once; None for none.
        directions: 1, or 2 for forwards and backwards.
    """
    cuts = list(accumulate(len(x) for x in xs))[:-1]
    packed = np.concatenate(xs)
    initial = [unstacked(state) for state in states]
    finals, pieces = [], xs
    for first in range(0, len(layers), directions):
        sides = []
        for k in range(first, first + directions):
            project, cell = layers[k]
            steps = np.split(project(packed if masks[k] is None else packed * masks[k]), cuts)
            final, outs = (backwards if k > first else forwards)(cell, tuple(state[k] for state in initial), steps)
            finals.append(final)
            sides.append(outs)
        pieces = sides[0] if directions == 1 else [np.concatenate(both, axis=1) for both in zip(*sides)]
        if first + directions < len(layers):
            packed = np.concatenate(pieces)
    return (*(np.stack(rows) for rows in zip(*finals)), *pieces)


def unstacked(state: Any) -> list[Any]:
    """The state of each layer and direction."""
    return [piece.reshape(piece.shape[1:]) for piece in np.split(state, state.shape[0])]


def forwards(cell: Cell, states: tuple[Any, ...], steps: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """The final states and the outputs of the steps; a sequence that has ended keeps its states."""
    outs, ended = [], []
    for step in steps:
        batch = step.shape[0]
        if batch < states[0].shape[0]:
            ended.append(tuple(state[batch:] for state in states))
            states = tuple(state[:batch] for state in states)
        states = cell(step, *states)
        outs.append(states[0])
    if not ended:
        return states, outs
    return tuple(np.concatenate(parts) for parts in zip(states, *reversed(ended))), outs


def backwards(cell: Cell, states: tuple[Any, ...], steps: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """The same from the last step to the first: a sequence begins, with its initial states, where it ends.

    An empty sequence never begins, and keeps its initial states.
    """
    outs, current = [], tuple(state[: steps[-1].shape[0]] for state in states)
    for step in reversed(steps):
        begun, batch = current[0].shape[0], step.shape[0]
        if batch > begun:
            current = tuple(np.concatenate((now, state[begun:batch])) for now, state in zip(current, states))
        current = cell(step, *current)
        outs.append(current[0])
    begun = current[0].shape[0]
    if begun < states[0].shape[0]:
        current = tuple(np.concatenate((now, state[begun:])) for now, state in zip(current, states))
    return current, outs[::-1]


def dropout_masks(xs: Sequence[Any], n_layers: int, directions: int, width: int, ratio: float) -> list[Any]:
    """The factors of each layer's and direction's inputs: 0 with the given probability, else 1 / (1 - ratio).

    The first layer's inputs are kept, and all while ``config.train`` is off.
    """
    masks: list[Any] = [None] * (n_layers * directions)
    if config.train:
        rows, dtype = sum(x.shape[0] for x in xs), xs[0].dtype
        for k in range(directions, len(masks)):
            with drawing_beside(xs[0]):
                kept = get_array_module(xs[0]).random.rand(rows, width) >= ratio
                masks[k] = kept * dtype.type(1 / (1 - ratio))
    return masks


def check_layers(n_layers: int, directions: int, ws: Sequence[Any], bs: Sequence[Any], each: int) -> None:
    """See that there are weights and biases for all layers.

    Raises:
        ValueError: if not.
    """
    for name, given in (("ws", ws), ("bs", bs)):
        if len(given) != n_layers * directions or any(len(part) != each for part in given):
            raise ValueError(
                f"{name} must hold {n_layers * directions} lists (layers and directions) of {each} arrays, got "
                f"{[len(part) for part in given]}{at_user_line()}"
            )


def check_sequences(xs: Any) -> list[Any]:
    """The inputs of the steps as a list, after a look whether the batch never grows.

    Raises:
        TypeError: if they are no list.
        ValueError: if there are none, or the batch grows.
    """
    if not isinstance(xs, (list, tuple)):
        raise TypeError(f"xs must be a list of the inputs of each step, got {type(xs).__name__}{at_user_line()}")
    batches = [x.shape[0] for x in xs]
    if not batches or batches != sorted(batches, reverse=True):
        raise ValueError(
            f"the steps in xs must have batches that never grow, got {batches}{at_user_line()}; sort the sequences by "
            "length, the longest first, and transpose them (transpose_sequence)"
        )
    return list(xs)


def check_width(xs: Sequence[Any], ws: Sequence[Sequence[Any]]) -> None:
    """See that the inputs of the first step have as many columns as the first layer's weights.

    Raises:
        ValueError: if not.
    """
    widths = [x.shape[1] for x in (xs[0], ws[0][0]) if x.ndim == 2]
    if len(set(widths)) == 2:
        raise ValueError(
            f"Inconsistent input size in input values and weight parameters: {widths[0]} != {widths[1]}{at_user_line()}"
        )
