"""The graph behind Variables: walked through, and drawn for notebooks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from autodiff.facade.graph.node import VariableNode
from autodiff.trace.formats.drawing import MOST, Box, graph_svg

if TYPE_CHECKING:
    from autodiff.facade.variables.variable import Variable

LONGEST = 80
"""Titles are cut there."""


def reached_from(starts: Iterable[Any], most: int | None = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """All nodes behind some of them in the order in which they are met, and the edges.

    Args:
        starts: nodes of Variables, and functions.
        most: where to stop: not many more nodes than that are found.
    """
    nodes = {id(start): start for start in starts}
    edges: dict[tuple[int, int], tuple[Any, Any]] = {}
    waiting = deque(nodes.values())
    while waiting and (most is None or len(nodes) <= most):
        node = waiting.popleft()
        for before, after in edges_into(node):
            edges[id(before), id(after)] = (before, after)
            for each in (before, after):
                if id(each) not in nodes:
                    nodes[id(each)] = each
                    waiting.append(each)
    return list(nodes.values()), list(edges.values())


def edges_into(node: Any) -> Iterator[tuple[Any, Any]]:
    """The edge from the creator of a Variable; or those from the inputs of a function."""
    if isinstance(node, VariableNode):
        creator = node.creator_node
        if creator is not None:
            yield creator, node
    else:
        for each in node.inputs or ():
            yield each, node


def variable_svg(variable: Variable) -> str | None:
    """The graph that made a Variable, as SVG; None where nothing did, or it is too large to be read."""
    if variable.creator_node is None:
        return None
    nodes, edges = reached_from([variable.node], MOST)
    if len(nodes) > MOST:
        return None
    numbers = {id(node): k for k, node in enumerate(nodes)}
    title = " ".join(repr(variable).split())
    shown = title if len(title) <= LONGEST else title[:LONGEST] + " ..."
    boxes = [box(node, node is variable.node) for node in nodes]
    return graph_svg(boxes, [(numbers[id(a)], numbers[id(b)]) for a, b in edges], shown)


def box(node: Any, last: bool) -> Box:
    """The box of a Variable or an operation."""
    if not isinstance(node, VariableNode):
        return Box((node.label,))
    name = () if node.name is None else (node.name,)
    return Box((*name, node.label), "result" if last else "value")
