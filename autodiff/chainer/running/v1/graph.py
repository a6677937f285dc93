"""Graphs as in Chainer 1: a function holds its inputs, so programs that walk through a graph find all arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from autodiff.facade.functions import function_node
from autodiff.facade.graph import applying, recording
from autodiff.facade.graph.node import VariableNode


def with_arrays(connect: Callable[..., Any]) -> Callable[..., Any]:
    """What links results to operands, and lets the nodes of both keep their arrays."""

    @wraps(connect)
    def call(operation: Any, *args: Any) -> Any:
        results = connect(operation, *args)
        for entry, value in zip(operation.entries, operation.values, strict=True):
            if type(entry) is VariableNode:
                entry.data = value
        for variable in results if type(results) is tuple else (results,):
            variable.node.data = variable.array
            node = variable.node
            (node.operands if node.link.special else node).others = tuple(operation.entries)
        return results

    return call


def install() -> None:
    """Let ``y.creator.inputs[0].data`` be the array, also where nobody holds the Variable any more."""
    connect = with_arrays(recording.connected)
    for module in (recording, applying, function_node):
        module.connected = connect  # type: ignore[attr-defined]
