"""What ``creator_node`` shows: the operations of the graph as objects, made when somebody looks."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autodiff.facade.graph.labels import operation_label
from autodiff.trace.live import Result
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of

if TYPE_CHECKING:
    from autodiff.facade.graph.node import VariableNode, Whole
    from autodiff.trace.link import Link

NUMBERS = (bool, int, float, complex)

SHOWN = {"gather": 1}
"""How many operands are inputs of a function in Chainer's sense, where those behind them are part of the function."""


class Operation:
    """An operation of the graph.

    The node that it made holds it, and it holds the nodes of its inputs, so that it can be given back to a node
    that was unchained.

    Attributes:
        inputs: the nodes of the operands, also of those that are plain arrays; None after :meth:`unchain`.
        outputs: weak references to the nodes of the results; None after :meth:`unchain`.
        rank: the largest rank of the inputs.
        label: its name in drawings of the graph.
        fun: what an operation runs on its inputs, for hooks that watch it: there are no nodes yet.
        seen_inputs: the arrays of the inputs while hooks see it run.
        seen_shape: of the first result, for hooks that see it run.
    """

    stack: Any = None
    fun: Any = None
    seen_inputs: tuple[Any, ...] | None = None
    seen_shape: Any = None
    kept_arrays: Any = None
    inputs: tuple[VariableNode, ...] | None = None
    outputs: tuple[Any, ...] | None = None
    kept: tuple[Any, ...] | None = None
    whole: Shared | None = None

    def __init__(self, label: str, rank: int) -> None:
        self.label = label
        self.rank = rank

    @classmethod
    def of(cls, keeper: VariableNode | Whole) -> Operation:
        """The operation that a node, or what the nodes of several results share, was made by."""
        operands = all_operands(keeper.link, keeper.operands, keeper.others)
        operation = creator(operation_label(keeper.link.primitive, operands), keeper.rank - 1)
        operation.shows(keeper)
        return operation

    def shows(self, keeper: VariableNode | Whole) -> None:
        """Take note of what the operation was run on and gave."""
        self.kept = (keeper.link, keeper.operands, keeper.residuals, keeper.others)
        operands = all_operands(keeper.link, keeper.operands, keeper.others)
        self.inputs = input_nodes(operands[: SHOWN.get(keeper.link.primitive.name)], keeper.kind)
        self.outputs = keeper.references()
        self.whole = None if keeper.kind is type(keeper) else Shared(keeper)

    def __repr__(self) -> str:
        return f"<operation {self.label}>"

    def unchain(self) -> None:
        """Forget inputs and outputs; the outputs become roots."""
        for reference in self.outputs or ():
            node = reference()
            if node is not None:
                node.unchain()
        self.inputs = self.outputs = self.kept = self.whole = None

    def connect(self, node: VariableNode) -> None:
        """Make the node a result of this operation again.

        Raises:
            RuntimeError: if :meth:`unchain` was called.
        """
        if self.kept is None:
            raise RuntimeError(
                f"the operation {self.label} was unchained itself{at_user_line()}, so it cannot be a creator again; "
                "compute the Variable anew"
            )
        if self.whole is None:
            fill(node, self.kept, self)
            return
        whole = self.whole.revived()
        fill(whole, self.kept, self)
        index = [reference() for reference in whole.results].index(node)
        node.link, node.operands, node.residuals = Result(index), whole, None


CREATORS: dict[str, type[Operation]] = {}
"""The classes of creators by their labels, for functions that have a class of their own."""

ANY = ""
"""Stands in that table for all labels without a class of their own."""


def creator(label: str, rank: int) -> Operation:
    """The object that shows an operation of that label."""
    kind = CREATORS.get(label) or CREATORS.get(with_any_number(label)) or CREATORS.get(ANY, Operation)
    found: Operation = kind.__new__(kind)
    Operation.__init__(found, label, rank)
    return found


def with_any_number(label: str) -> str:
    """The label of an operator with ``#`` in the place of a number.

    >>> with_any_number("_ ** 2")
    '_ ** #'
    """
    words = label.split(" ")
    if len(words) != 3:
        return label
    left, sign, right = words
    return " ".join((left if left == "_" else "#", sign, right if right == "_" else "#"))


class Shared:
    """What an operation remembers of its several results without holding them."""

    __slots__ = ("data", "kind", "order", "reference", "results", "spec")

    def __init__(self, whole: Any) -> None:
        self.kind = type(whole)
        self.reference = weakref.ref(whole)
        self.order, self.spec, self.data, self.results = whole.order, whole.spec, whole.data, whole.results

    def revived(self) -> Any:
        found = self.reference()
        if found is None:
            found = self.kind()
            found.order, found.spec, found.data, found.results = self.order, self.spec, self.data, self.results
            self.reference = weakref.ref(found)
        return found


def fill(node: Any, kept: tuple[Any, ...], function: Operation) -> None:
    """Give back to a node what :class:`Operation` took note of."""
    node.link, node.operands, node.residuals, node.others = kept
    node._function = function


class Unknown:
    """The link of a node whose creator is some object that was set by hand: nothing is known behind it."""

    __slots__ = ("function",)
    special = elementwise = moves = adds = adds_selected = partial = False
    arity = 0
    positions = ()

    def __init__(self, function: Any) -> None:
        self.function = function

    def pull(self, g: Any, residuals: Any) -> tuple[()]:
        return ()


def all_operands(link: Link, operands: Any, others: Any) -> list[Any]:
    """Nodes, numbers, arrays and specs in the order of the operation's operands."""
    if type(others) is tuple:
        return list(others)
    differentiated = list(operands) if type(operands) is tuple else [operands]
    if others is None:
        return differentiated
    return [*differentiated, others] if link.positions == (0,) else [others, *differentiated]


def input_nodes(operands: Sequence[Any], kind: type[VariableNode]) -> tuple[VariableNode, ...]:
    """The nodes of operands; numbers have none."""
    nodes = []
    for operand in operands:
        if isinstance(operand, kind):
            nodes.append(operand)
        elif type(operand) is Spec:
            nodes.append(kind.of_constant(operand))
        elif operand is not None and not isinstance(operand, NUMBERS):
            nodes.append(kind.of_constant(spec_of(operand), operand))
    return tuple(nodes)
