"""How the reader of the graph calls the ``backward`` of a FunctionNode, and what it checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy import asarray, generic

from autodiff.facade.functions.applied import AppliedFunction
from autodiff.facade.graph.observing import pull_observed
from autodiff.facade.graph.residuals import Own
from autodiff.facade.settings.configuration import config, deviations, using_config
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line
from autodiff.transforms.masking import unmasked

if TYPE_CHECKING:
    from autodiff.facade.graph.node import VariableNode


class OwnLink:
    """The link of a FunctionNode.

    Args:
        function: the function.
        positions: the inputs that require a gradient.
    """

    __slots__ = ("arity", "function", "positions")
    special = elementwise = moves = adds = adds_selected = False
    partial = True
    kept = (-1,)

    def __init__(self, function: AppliedFunction, positions: Sequence[int]) -> None:
        self.function = function
        self.positions = tuple(positions)
        self.arity = len(self.positions)

    @property
    def primitive(self) -> OwnLink:
        return self

    @property
    def name(self) -> str:
        """The label of the function."""
        return self.function.label

    def pull(self, g: Any, residuals: OwnResiduals, wanted: Sequence[int] | None = None) -> Any:
        """The gradients of the inputs; of those that are not wanted None."""
        positions = self.positions if wanted is None else tuple(wanted)
        grads = [None if part is None else unmasked(part) for part in (g if type(g) is list else [g])]
        function = self.function
        if deviations or function._local_function_hooks:
            found = pull_observed(function, lambda: residuals.pull(positions, grads), grads, array_of)
        else:
            found = residuals.pull(positions, grads)
        if len(positions) != self.arity:
            by_position = dict(zip(positions, found, strict=True))
            found = [by_position.get(position) for position in self.positions]
        return found[0] if self.arity == 1 else found


def array_of(g: Any) -> Any:
    """The array of a gradient, None if there is none."""
    return g._array if isinstance(g, Variable) else g


class OwnResiduals(Own):
    """A FunctionNode, which knows itself what it needs.

    Args:
        function: the function.
        graph: whether gradients are Variables with a graph.
    """

    __slots__ = ("function", "graph")

    def __init__(self, function: AppliedFunction, graph: bool = False) -> None:
        self.function, self.graph = function, graph

    def with_graph(self) -> OwnResiduals:
        return OwnResiduals(self.function, True)

    def pull(self, positions: tuple[int, ...], grads: list[Any]) -> list[Any]:
        """The gradients of the inputs at positions: Variables, or arrays."""
        if not positions:
            return []
        function = self.function
        if self.graph:
            return gradients(function, positions, tuple(grads))
        variables = tuple(None if g is None else Variable(asarray(g) if isinstance(g, generic) else g) for g in grads)
        with using_config("enable_backprop", False):
            found = gradients(function, positions, variables)
        return [None if g is None else g._array for g in found]


def gradients(function: AppliedFunction, positions: tuple[int, ...], grads: tuple[Variable | None, ...]) -> list[Any]:
    """What ``backward`` returns for the inputs at positions, checked."""
    function._run_later()
    found = function.backward_accumulate(positions, grads, (None,) * len(positions))
    if not isinstance(found, (tuple, list)) or len(found) != len(positions):
        count = len(found) if isinstance(found, (tuple, list)) else f"a {type(found).__name__}, no tuple,"
        raise ValueError(
            f"number of gradients returned from backward_accumulate is incorrect: {count} != expected "
            f"{len(positions)}{of_function(function)}"
        )
    assert function.inputs is not None
    for position, gradient in zip(positions, found, strict=True):
        if gradient is not None:
            check_gradient(function, position, gradient, function.inputs[position])
    return list(found)


def check_count(function: AppliedFunction, found: Any, positions: tuple[int, ...]) -> None:
    """See that there is one gradient for each wanted input, or for each input.

    Raises:
        ValueError: if there is not.
    """
    count = len(found) if isinstance(found, (tuple, list)) else f"a {type(found).__name__}, no tuple,"
    inputs = len(function.inputs or ())
    if isinstance(found, (tuple, list)) and count in (len(positions), inputs):
        return
    expected = f"{len(positions)}" if inputs == len(positions) else f"{len(positions)} or {inputs}"
    raise ValueError(
        f"number of gradients returned from backward is incorrect: {count} != expected {expected}"
        f"{of_function(function)}"
    )


def check_gradient(function: AppliedFunction, position: int, gradient: Any, node: VariableNode) -> None:
    """See that a gradient is a Variable like its input.

    Raises:
        ValueError: if it has another shape, or is no Variable.
        TypeError: if it has another dtype.
    """
    if not isinstance(gradient, Variable):
        raise (ValueError if config.debug else TypeError)(
            f"type of gradients returned from backward is incorrect: input-index={position}, actual {type(gradient)} "
            f"!= expected {Variable}{of_function(function)}"
        )
    for attribute, error in (("shape", ValueError), ("dtype", TypeError)):
        actual, expected = getattr(gradient, attribute), getattr(node, attribute)
        if actual != expected:
            raise error(
                f"{attribute} of gradients returned from backward is incorrect: input-index={position}, actual "
                f"{actual} != expected {expected}{of_function(function)}"
            )


def of_function(function: AppliedFunction) -> str:
    """Lines that say which function has a bug, and what it was applied to."""
    name = type(getattr(function, "function", function)).__name__  # of the old style, not of its node
    lines = [f"{at_user_line()}\n  function={name} ({function.label}) has a bug"]
    for index, node in enumerate(function.inputs or ()):
        lines.append(f"    input {index}: {described(node)}")
    for index, reference in enumerate(function.outputs or ()):
        node = reference()
        lines.append(f"    output {index}: {'not available' if node is None else described(node)}")
    return "\n".join(lines)


def described(node: Any) -> str:
    """Shape and dtype of a node; None where it has no array."""
    try:
        return f"shape={node.shape} dtype={node.dtype}"
    except AttributeError:
        return "None"
