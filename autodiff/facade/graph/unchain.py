"""Cutting the graph."""

from __future__ import annotations

from typing import Any

from autodiff.facade.graph.node import Whole


def unchain_backward(node: Any) -> None:
    """Make a node and all nodes behind it roots."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.link is None:
            continue
        function = node._function
        waiting.extend(operand_nodes(node))
        for result in results(node):
            result.unchain()
        if function is not None and hasattr(function, "unchain"):
            function.unchain()


def operand_nodes(node: Any) -> list[Any]:
    """The nodes and operations that a node was computed from."""
    nodes = [*(node.operands if type(node.operands) is tuple else (node.operands,))]
    nodes += node.others if type(node.others) is tuple else (node.others,)
    return [found for found in nodes if hasattr(found, "unchain")]


def results(node: Any) -> list[Any]:
    """A node and, of an operation with several results, all that are alive."""
    if type(node) is not Whole:
        return [node]
    return [node, *(found for found in (reference() for reference in node.results) if found is not None)]
