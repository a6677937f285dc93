"""The nodes of the graph: the only mutable part of it.

A node has the attributes that the reverse reader walks on the entries of a live tape (link, operands, residuals,
order, spec). It *is* the weak reference to its Variable, so that one operation costs one object that the garbage
collector has to follow; a Variable points to its node, nodes point to nodes of operands, nothing points back.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autodiff.facade.graph.creator import Operation, Unknown
from autodiff.facade.variables.text import label_of
from autodiff.trace.live import Result
from autodiff.trace.source import at_user_line

if TYPE_CHECKING:
    from autodiff.facade.variables.variable import Variable

new_node: Callable[..., Any] = weakref.ref.__new__
"""``new_node(VariableNode, variable)``: a node with nothing filled in, without the cost of a constructor."""

LATER = frozenset({"_again", "_function", "_name", "data", "others"})


class VariableNode(weakref.ref):  # type: ignore[type-arg]
    """The place of a Variable in the graph.

    Attributes:
        link: the operation that made the Variable and the operands that are differentiated; None for a root.
        operands: the node of the one differentiated operand, or a tuple of several.
        residuals: what the rules need: see :mod:`autodiff.facade.graph.residuals`.
        others: the remaining operands, for those who look at the graph: nodes, numbers, arrays that are kept
            anyway, specs of arrays that are not. A tuple, or one of them.
        order: larger than that of every operand; users know it as the rank.
        spec: shape and dtype of the array.
        level: when it was made; see :attr:`autodiff.trace.traced.Traced.level`.
        data: the array, where a rule of this or of another node needs it.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> x = Variable(np.ones(3))
    >>> x.node.get_variable() is x, (2 * x).node.order
    (True, 1)
    """

    __slots__ = (
        "__weakref__", "_again", "_function", "_name", "_requires_grad", "data", "level", "link", "operands",
        "order", "others", "residuals", "spec",
    )  # fmt: skip
    link: Any
    operands: Any
    residuals: Any
    others: Any
    order: int
    level: int
    spec: Any
    data: Any
    _requires_grad: bool
    _name: str | None
    _function: Any
    _again: Callable[[], Variable | None] | None

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__
    __repr__ = object.__repr__

    def __new__(cls, variable: Any, name: str | None = None, **keywords: Any) -> VariableNode:
        return new_node(cls, variable)  # type: ignore[no-any-return]

    def __init__(self, variable: Variable, name: str | None = None, **keywords: Any) -> None:
        if keywords:
            raise ValueError(
                f"a VariableNode takes a Variable and a name, got {', '.join(keywords)}{at_user_line()}; a gradient is "
                "given to the Variable"
            )
        self.fill_as_root(variable.spec, variable.level, variable.requires_grad)
        self._name = name

    revive: ClassVar[Callable[[VariableNode], Variable]]
    """Makes a new Variable for a node whose Variable is gone."""

    def __getattr__(self, name: str) -> Any:
        if name in LATER:  # slots that most nodes never fill
            return None
        own = getattr(type(self), name, None)
        if isinstance(own, property) and own.fget is not None:  # its own AttributeError led here: raise that
            return own.fget(self)
        remedy = "; the array is .data" if name == "array" else ""
        raise AttributeError(f"a VariableNode has no attribute {name!r}{at_user_line()}{remedy}")

    def get_variable_or_none(self) -> Variable | None:
        """The Variable of this node, if there is one."""
        found = self()
        if found is None:
            again = self._again
            return None if again is None else again()
        return found  # type: ignore[no-any-return]

    def get_variable(self) -> Variable:
        """The Variable of this node: a new one where the old one is gone."""
        found = self.get_variable_or_none()
        return type(self).revive(self) if found is None else found

    @property
    def requires_grad(self) -> bool:
        """Whether backward() computes a gradient."""
        return self._requires_grad

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the Variable's array, also where that is gone."""
        return self.spec.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the Variable's array, also where that is gone."""
        return self.spec.dtype  # type: ignore[no-any-return]

    @property
    def label(self) -> str:
        """Shape and dtype as text."""
        return label_of(self.spec.shape, self.spec.dtype)

    @property
    def name(self) -> str | None:
        """The name that the user gave the Variable."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = name

    @property
    def grad(self) -> Any:
        """The Variable's gradient; None if the Variable is gone."""
        found = self.get_variable_or_none()
        return None if found is None else found.grad

    @property
    def grad_var(self) -> Variable | None:
        """The Variable's gradient as a Variable; None if the Variable is gone."""
        found = self.get_variable_or_none()
        return None if found is None else found.grad_var

    def fill_as_root(self, spec: Any, level: int, requires_grad: bool) -> None:
        """Make it the node of a Variable that comes from nowhere."""
        self.link = self.operands = self.residuals = None
        self.order = 0
        self.level = level
        self.spec = spec
        self._requires_grad = requires_grad

    @classmethod
    def of_constant(cls, spec: Any, data: Any = None) -> VariableNode:
        """A node for an operand that is no Variable, for those who look at the graph."""
        node: VariableNode = new_node(cls, _Nobody())
        node.fill_as_root(spec, 0, False)
        node.data = data
        return node

    def retain_data(self) -> None:
        """Keep the array for as long as the node lives.

        Raises:
            RuntimeError: if the Variable is gone.
        """
        found = self.get_variable_or_none()
        if found is None:
            raise RuntimeError(
                f"the Variable of this node is gone, and its array with it{at_user_line()}; call retain_data() while "
                "the Variable lives"
            )
        self.data = found._array

    @property
    def creator_node(self) -> Any:
        """The operation that made the Variable, None for a root. None may be assigned, and the same object again."""
        if self.link is None:
            return None
        return operation_of(self.operands if self.link.special else self)

    @creator_node.setter
    def creator_node(self, function: Any) -> None:
        if function is not None and not hasattr(function, "rank"):
            raise AttributeError(
                f"a creator is a Function or a FunctionNode, got {type(function).__name__}{at_user_line()}; None makes "
                "a root of the Variable"
            )
        self.unchain()
        if function is None:
            return
        node = getattr(function, "node", None)  # of a function of the old style
        function = node if hasattr(node, "connect") else function
        if isinstance(function, Operation) or getattr(function, "inputs", None) is not None:
            function.connect(self)
        else:
            self.link = Unknown(function)
            self.operands = ()
            self._function = function
        self.order = function.rank + 1

    @property
    def creator(self) -> Any:
        """The same; for functions of the old style the function, not its node."""
        return function_of(self.creator_node)

    @creator.setter
    def creator(self, function: Any) -> None:
        self.creator_node = function

    def set_creator_node(self, creator_node: Any) -> None:
        """Make a FunctionNode the creator."""
        self.creator_node = creator_node

    def set_creator(self, creator: Any) -> None:
        """Make a function, of the old style or the new, the creator."""
        self.creator_node = creator

    @property
    def kind(self) -> type[VariableNode]:
        """The class of nodes."""
        return VariableNode

    def references(self) -> tuple[Any, ...]:
        """Weak references to the nodes of all results of the operation: to itself."""
        return (weakref.ref(self),)

    def unchain(self) -> None:
        """Forget the operation that made the Variable; its rank stays."""
        self.link = self.operands = self.residuals = self.others = self._function = None


VariableNode.rank = VariableNode._rank = VariableNode.order  # type: ignore[attr-defined]


def operation_of(keeper: VariableNode | Whole) -> Any:
    """The object that shows the operation by which a node, or what several nodes share, was made."""
    if keeper._function is None:
        keeper._function = Operation.of(keeper)
    return keeper._function


def function_of(node: Any) -> Any:
    """The function of the old style that a node stands for, or the node itself."""
    return node.function if getattr(node, "stands_for_function", False) else node


class Whole:
    """All results of an operation with several; each result's node is linked to it by a ``Result``.

    Attributes:
        data: the tuple of all arrays, where a rule needs them.
        results: weak references to the results' nodes.
        others: as on nodes.
    """

    __slots__ = (
        "__weakref__", "_function", "data", "level", "link", "operands", "order", "others", "residuals", "results",
        "spec",
    )  # fmt: skip

    link: Any
    operands: Any
    residuals: Any
    others: Any
    order: float
    level: int
    spec: Any
    results: list[Callable[[], VariableNode | None]]

    def __init__(self) -> None:
        self._function: Any = None
        self.data: tuple[Any, ...] | None = None

    def variables(self) -> tuple[Variable, ...]:
        """The results as Variables: new ones where the old ones are gone."""
        return tuple(self._node(index).get_variable() for index in range(len(self.results)))

    def _node(self, index: int) -> VariableNode:
        found = self.results[index]()
        if found is None:
            assert self.data is not None
            found = VariableNode.of_constant(self.spec[index], self.data[index])
            found.link, found.operands = Result(index), self
            found.order, found.level, found._requires_grad = self.rank, self.level, True
            self.results[index] = weakref.ref(found)
        return found

    @property
    def rank(self) -> int:
        """The rank of the results, which is half a step later."""
        return int(self.order + 0.5)

    @property
    def kind(self) -> type[VariableNode]:
        """The class of nodes."""
        return VariableNode

    def references(self) -> tuple[Any, ...]:
        """Weak references to the nodes of all results."""
        return tuple(self.results)

    def unchain(self) -> None:
        """Forget what it was computed from."""
        self.link = self.operands = self.residuals = self.others = self._function = None


class _Nobody:
    __slots__ = ("__weakref__",)
