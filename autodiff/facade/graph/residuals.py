"""What rules need, as the graph of Variables keeps it.

Of an operand that is a Variable its *node* is kept, whose ``data`` is filled then: an array that is assigned to the
Variable afterwards is seen by ``backward()``. Of the result itself only :data:`OUT` is kept, since a node that held
itself would never be freed. Constants are kept as they are. Where all can be found on the node anyway, the residuals
are a :class:`Pick`, shared by all nodes of one link, which costs the node nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from autodiff.facade.graph.node import VariableNode, Whole
from autodiff.trace.link import Link
from autodiff.trace.spec import Spec, spec_of


class Own:
    """Residuals of a link that looks at them itself."""

    __slots__ = ()

    def with_graph(self) -> Any:
        """What takes their place where gradients are Variables."""
        raise NotImplementedError


class Out:
    """Stands for the data of the node itself."""

    __slots__ = ()


OUT = Out()


class Pick:
    """Finds the residuals on the node.

    Args:
        link: the link of the nodes; its rules ask for operands, the result and their specs only.
        operands: for each operand of the primitive where its node is found on a node; ``"others"`` for the constant.
    """

    __slots__ = ("arrays", "variables")

    def __init__(self, link: Link, operands: tuple[str, ...]) -> None:
        self.arrays = _picking(link, operands, "{}.data")
        self.variables = _picking(link, operands, "{}.get_variable()")


class _Place:
    """Stands for an operand or the result, to find out what a link collects.

    Args:
        value: an expression for its value.
        shape: an expression for its spec.
    """

    __slots__ = ("shape", "spec", "value")

    def __init__(self, value: str, shape: str) -> None:
        self.value = value
        self.shape = shape
        self.spec = Spec((), np.dtype(object))  # found again by its identity


def pick(link: Link, operands: tuple[str, ...]) -> Pick | None:
    """How the residuals are found on the nodes of a link; None where there are none."""
    return None if _collected(link, _places(operands, "{}"))[0] is None else Pick(link, operands)


def keeps_constant_alone(link: Link, position: int) -> bool:
    """Whether the constant beside the operand at ``position`` is all that the rules need."""
    places = _places(("operands", "others") if position == 0 else ("others", "operands"), "{}")
    return _collected(link, places)[0] is places[1 - position]


def _places(operands: tuple[str, ...], of_node: str) -> list[_Place]:
    return [
        _Place("node.others", "spec_of(node.others)")
        if operand == "others"
        else _Place(of_node.format(f"node.{operand}"), f"node.{operand}.spec")
        for operand in operands
    ]


def _collected(link: Link, places: list[_Place], of_node: str = "{}") -> tuple[Any, _Place]:
    out = _Place(of_node.format("node"), "node.spec")
    return link.collect(places, out, None), out


def _picking(link: Link, operands: tuple[str, ...], of_node: str) -> Callable[[Any], Any]:
    places = _places(operands, of_node)
    collected, out = _collected(link, places, of_node)
    parts = collected if type(collected) is tuple else (collected,)
    expressions = [_expression(part, [*places, out]) for part in parts]
    body = expressions[0] if len(expressions) == 1 else f"({', '.join(expressions)})"
    source = compile(f"lambda node: {body}", "<autodiff residuals>", "eval")
    return eval(source, {"spec_of": spec_of})  # type: ignore[no-any-return]


def _expression(collected: Any, places: list[_Place]) -> str:
    return next(
        place.value if collected is place else place.shape
        for place in places
        if collected is place or collected is place.spec
    )


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
    if isinstance(residuals, Own):
        return residuals.with_graph()
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
