"""Drawings of the graph behind Variables, in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autodiff.facade.graph.drawing import reached_from
from autodiff.facade.graph.node import VariableNode

VARIABLE_STYLE = {"shape": "octagon", "fillcolor": "#E0E0E0", "style": "filled"}
FUNCTION_STYLE = {"shape": "record", "fillcolor": "#6495ED", "style": "filled"}


class DotNode:
    """The line of a node in Graphviz's language.

    Args:
        node: a ``VariableNode`` or a function.
        attribute: Graphviz's attributes; the label may be among them.
        show_name: whether the name of a Variable is part of its label.
    """

    def __init__(self, node: Any, attribute: dict[str, Any] | None = None, show_name: bool = True) -> None:
        is_variable = isinstance(node, VariableNode)
        if not is_variable and not hasattr(node, "label"):
            raise TypeError(f"DotNode draws VariableNodes and functions, got {type(node).__name__}")
        self.node = node
        self.id_ = id(node)
        named = is_variable and show_name and node.name is not None
        label = f"{node.name}: {node.label}" if named else node.label
        self.attribute = {"label": label, "shape": "oval" if is_variable else "box"} | (attribute or {})

    @property
    def label(self) -> str:
        """The line."""
        attributes = ",".join(f'{name}="{quoted(value)}"' for name, value in self.attribute.items())
        return f"{self.id_} [{attributes}];"


def quoted(value: Any) -> str:
    """A value as it stands between quotes."""
    return str(value).replace('"', r"\"")


class ComputationalGraph:
    """Nodes and edges of a graph of Variables and functions.

    Args:
        nodes: nodes of Variables, and functions.
        edges: pairs of them.
        variable_style: Graphviz's attributes for Variables; ``"default"`` for octagons.
        function_style: Graphviz's attributes for functions; ``"default"`` for boxes.
        rankdir: where the graph goes: ``TB`` (from top to bottom), ``BT``, ``LR`` or ``RL``.
        remove_variable: whether to draw functions only.
        show_name: whether the names of Variables are shown.

    Raises:
        ValueError: for any other direction.
    """

    def __init__(
        self,
        nodes: list[Any],
        edges: list[tuple[Any, Any]],
        variable_style: Any = "default",
        function_style: Any = "default",
        rankdir: str = "TB",
        remove_variable: bool = False,
        show_name: bool = True,
    ) -> None:
        if rankdir not in ("TB", "BT", "LR", "RL"):
            raise ValueError(f"rankdir must be TB, BT, LR or RL, got {rankdir!r}")
        self.nodes = nodes
        self.edges = edges
        self.variable_style = VARIABLE_STYLE if variable_style == "default" else variable_style
        self.function_style = FUNCTION_STYLE if function_style == "default" else function_style
        self.rankdir = rankdir
        self.remove_variable = remove_variable
        self.show_name = show_name

    def dump(self, format: str = "dot") -> str:
        """The graph as text.

        Args:
            format: ``dot``, the language of Graphviz.

        Raises:
            NotImplementedError: for any other.
        """
        if format != "dot":
            raise NotImplementedError(f"only the dot format can be dumped, got {format!r}; Graphviz makes images of it")
        nodes, edges = (self.nodes, self.edges)
        if self.remove_variable:
            nodes, edges = only_functions(nodes, edges)
        lines = [f"rankdir={self.rankdir};"]
        lines += [DotNode(node, self._style(node), self.show_name).label for node in nodes]
        lines += [f"{id(head)} -> {id(tail)};" for head, tail in edges]
        return f"digraph graphname{{{''.join(lines)}}}"

    def _style(self, node: Any) -> Any:
        return self.variable_style if isinstance(node, VariableNode) else self.function_style


def only_functions(nodes: list[Any], edges: list[tuple[Any, Any]]) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """The functions, and an edge wherever one goes through a Variable."""
    creators = {id(tail): head for head, tail in edges if isinstance(tail, VariableNode)}
    between = {
        (id(creator), id(tail)): (creator, tail)
        for head, tail in edges
        if (creator := creators.get(id(head))) is not None
    }
    return [node for node in nodes if not isinstance(node, VariableNode)], list(between.values())


def build_computational_graph(
    outputs: Any,
    remove_split: bool = True,
    variable_style: Any = "default",
    function_style: Any = "default",
    rankdir: str = "TB",
    remove_variable: bool = False,
    show_name: bool = True,
) -> ComputationalGraph:
    """The graph of everything that outputs were computed from.

    Args:
        outputs: Variables, nodes or functions; one or several.
        remove_split: True; there are no other graphs any more.
        variable_style: Graphviz's attributes for Variables.
        function_style: Graphviz's attributes for functions.
        rankdir: where the graph goes: ``TB`` (from top to bottom), ``BT``, ``LR`` or ``RL``.
        remove_variable: whether to draw functions only.
        show_name: whether the names of Variables are shown.

    Raises:
        ValueError: for another direction, or ``remove_split=False``.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> x = Variable(np.ones(3), name="x")
    >>> graph = build_computational_graph(x * 2)
    >>> [node.label for node in graph.nodes], len(graph.edges)
    (['(3), float64', '_ * 2', '(3), float64'], 2)
    """
    if not remove_split:
        raise ValueError("remove_split=False is not supported anymore; leave it out")
    several = isinstance(outputs, Iterable)
    nodes, edges = reached_from([entry(output) for output in (outputs if several else [outputs])])
    return ComputationalGraph(nodes, edges, variable_style, function_style, rankdir, remove_variable, show_name)


def entry(output: Any) -> Any:
    """The node of a Variable or of an old function; nodes are their own."""
    return getattr(output, "node", output)
