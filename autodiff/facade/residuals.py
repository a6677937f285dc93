"""What rules need, as the graph of Variables keeps it.

Of an operand that is a Variable its *node* is kept, whose ``data`` is filled then: an array that is assigned to the
Variable afterwards is seen by ``backward()``. Of the result itself only :data:`OUT` is kept, since a node that held
itself would never be freed. Constants are kept as they are. Where all can be found on the node anyway, the residuals
are a :class:`Pick`, shared by all nodes of one link, which costs the node nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from autodiff.facade.node import VariableNode, Whole
from autodiff.trace.link import Link


class Out:
    """Stands for the data of the node itself."""

    __slots__ = ()


OUT = Out()


class Pick:
    """Finds the residuals on the node.

    Args:
        link: the link of the nodes; its rules ask for operands and the result only.
        operands: for each operand of the primitive where its node is found on a node; ``"others"`` for the constant.
    """

    __slots__ = ("arrays", "variables")

    def __init__(self, link: Link, operands: tuple[str, ...]) -> None:
        self.arrays = _picking(link, operands, "node.{}.data", "node.data")
        self.variables = _picking(link, operands, "node.{}.get_variable()", "node.get_variable()")


def _picking(link: Link, operands: tuple[str, ...], of_operand: str, of_result: str) -> Callable[[Any], Any]:
    places = ["node.others" if place == "others" else of_operand.format(place) for place in operands]
    found = link.collect(places, of_result, None)  # the residuals of these texts say where each residual is
    body = f"({', '.join(found)})" if type(found) is tuple else found
    return eval(compile(f"lambda node: {body}", "<autodiff residuals>", "eval"))  # type: ignore[no-any-return]


def without_itself(residuals: Any, node: Any) -> Any:
    """The residuals with ``OUT`` in place of the node."""
    if residuals is node:
        return OUT
    if type(residuals) is tuple:
        return tuple(OUT if residual is node else residual for residual in residuals)
    return residuals


def arrays(node: Any) -> Any:
    """A node's residuals as arrays."""
    residuals = node.residuals
    kind = type(residuals)
    if kind is ndarray or residuals is None:
        return residuals
    if kind is Pick:
        return residuals.arrays(node)
    return _resolved(residuals, node, _array)


def variables(node: Any) -> Any:
    """A node's residuals as Variables, where they belong to Variables."""
    residuals = node.residuals
    kind = type(residuals)
    if kind is ndarray or residuals is None:
        return residuals
    if kind is Pick:
        return residuals.variables(node)
    return _resolved(residuals, node, _variable)


def _resolved(residuals: Any, node: Any, of_node: Callable[[Any], Any]) -> Any:
    if residuals is OUT:
        return of_node(node)
    kind = type(residuals)
    if kind is VariableNode:
        return of_node(residuals)
    if kind is tuple:
        return tuple(_resolved(residual, node, of_node) for residual in residuals)
    return residuals


def _array(node: Any) -> Any:
    return node.data


def _variable(node: Any) -> Any:
    return node.variables() if type(node) is Whole else node.get_variable()
