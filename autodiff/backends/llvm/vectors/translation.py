"""Expressions of a loop as operations of a round: what varies from round to round, and where accesses go."""

from __future__ import annotations

from autodiff.backends.language import tree
from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.functions import accepted_by
from autodiff.backends.language.polynomials import Polynomial, constant, polynomial, symbol
from autodiff.backends.language.special import CALLS
from autodiff.backends.language.tree import Expression
from autodiff.backends.language.types import CASTS, SIZES, STORED, UNSIGNED, Pointer, Type
from autodiff.backends.llvm.vectors.conflicts import Access
from autodiff.backends.llvm.vectors.survey import Loop
from autodiff.backends.llvm.vectors.tree import Node, Place


class Translation:
    """What the names of a loop stand for, as its statements are read one after the other.

    Args:
        loop: whose.
        variable: the loop's.
        symbol: that stands for the variable in polynomials.

    Attributes:
        given: the names that are read of what was before the loop, and their types.
        accesses: the loads and stores so far.
    """

    def __init__(self, loop: Loop, variable: str, round_: str) -> None:
        self.loop, self.variable, self.round = loop, variable, round_
        self.given: dict[str, Type] = {}
        self.accesses: list[Access] = []
        self.values: dict[str, Polynomial] = {**loop.values, variable: symbol(round_)}
        self.own: dict[str, Node] = {variable: Node("name", "i8", detail=variable, varying=True)}
        self.inlined: dict[str, Node] = {}
        self.opaque: set[str] = set()  # symbols that differ between rounds

    def assign(self, name: str, value: Expression) -> tuple[str, Node]:
        """Name a value from now on; the name that stands for it in this loop alone, and the value."""
        node = self.node(value)
        if node.type == UNSIGNED:
            raise Unsuited(f"{name} is a whole number without sign")
        unique = f"{name}.{len(self.inlined)}"  # a name may be assigned again, as in loops that are written out
        found = polynomial(value, self.values) if node.type in ("i4", "i8") else None
        if found is None:
            found = symbol(unique)
            if node.varying:
                self.opaque.add(unique)
        self.own[name] = Node("name", node.type, detail=unique, varying=node.varying)
        self.values[name] = found
        self.inlined[unique] = node
        return unique, node

    def node(self, expression: Expression) -> Node:
        """An expression."""
        match expression:
            case tree.Number(value, type_):
                return Node("number", type_, detail=value)
            case tree.Name(name, type_):
                return self.name(name, type_)
            case tree.Convert(operand, type_):
                return cast(self.node(operand), type_)
            case tree.Load(element, tree.Name(base, kind), index):
                return self.load(STORED[element], base, kind, index)
            case tree.Unary(sign, operand, type_):
                return operation_on(sign, type_, [self.node(operand)])
            case tree.Binary(sign, left, right, type_) | tree.Compare(sign, left, right, type=type_):
                return operation_on(sign, str(type_), [self.node(left), self.node(right)])
            case tree.Call(name, operands, type_) if name == "where" or (
                name not in CALLS and accepted_by(name, len(operands))
            ):
                return operation_on(name, str(type_), [self.node(each) for each in operands])
        raise Unsuited(f"it has {str(expression)!r}")

    def name(self, name: str, type_: Type) -> Node:
        if name in self.own:
            return self.own[name]
        if not isinstance(type_, str) or type_ not in CASTS:
            raise Unsuited(f"{name} is an address, or without sign")
        self.given[name] = type_
        return Node("name", type_, detail=name)

    # Memory.

    def load(self, type_: str, base: str, kind: Type, index: Expression) -> Node:
        place, node = self.access(base, kind, index, type_, stores=False)
        return Node("load", type_, (node,), place, varying=place.stride != 0)

    def access(self, base: str, kind: Type, index: Expression, type_: str, stores: bool) -> tuple[Place, Node]:
        """Where an access goes, and its index: without the names of the round where its stride is known."""
        if base in self.own or not (isinstance(kind, Pointer) or kind == "i8"):
            raise Unsuited(f"{base} is no address from before it")
        self.given[base] = kind
        node, found = self.node(index), polynomial(index, self.values)
        if node.type not in ("i4", "i8"):
            raise Unsuited(f"it has an index of type {node.type}")
        stride = None
        if found is not None and not found.symbols & self.opaque:
            stride = found.stride(self.round)
        elif not node.varying:
            stride = 0
        size = SIZES[type_]
        if found is None or found.symbols & self.opaque:
            found = symbol(f"{base}.{len(self.accesses)}")
        where = self.loop.values[base] + found * constant(size) if base in self.loop.values else None
        self.accesses.append(Access(kind, base, where, size, stores))
        return Place(base, stride), node if stride is None else self.written_out(node)

    def written_out(self, node: Node) -> Node:
        """An expression with the definitions of the names of a round in their places."""
        if node.operation == "name" and node.varying and node.detail in self.inlined:
            return self.written_out(self.inlined[node.detail])
        operands = tuple(self.written_out(each) for each in node.operands)
        return Node(node.operation, node.type, operands, node.detail, node.varying)


def operation_on(operation: str, type_: str, operands: list[Node]) -> Node:
    """An operation; it varies where an operand does."""
    return Node(operation, type_, tuple(operands), varying=any(each.varying for each in operands))


def cast(node: Node, type_: str) -> Node:
    """A value in another type."""
    return node if node.type == type_ else Node("cast", type_, (node,), varying=node.varying)
