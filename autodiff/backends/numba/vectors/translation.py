"""Expressions of a loop as typed operations."""

from __future__ import annotations

import ast

import numpy as np

from autodiff.backends.numba.mathematics.names import FUNCTIONS
from autodiff.backends.numba.mathematics.plain import PLAIN
from autodiff.backends.numba.vectors.conflicts import Access
from autodiff.backends.numba.vectors.elements import CASTS, SIZES, STORED, Pointer, Type, compared, type_of
from autodiff.backends.numba.vectors.polynomials import Polynomial, constant, polynomial, symbol
from autodiff.backends.numba.vectors.survey import Loop
from autodiff.backends.numba.vectors.tree import Node, Place, Unsuited

# fmt: off
SIGNS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}
# fmt: on
WHOLE_BITS = {"u1": 8, "i4": 32, "i8": 64}


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
        self.types: dict[str, Type | None] = {**loop.types, variable: "i8"}
        self.values: dict[str, Polynomial] = {**loop.values, variable: symbol(round_)}
        self.own: dict[str, Node] = {variable: Node("name", "i8", detail=variable, varying=True)}
        self.inlined: dict[str, Node] = {}
        self.opaque: set[str] = set()  # symbols that differ between rounds

    def assign(self, name: str, value: ast.expr) -> tuple[str, Node]:
        """Name a value from now on; the name that stands for it in this loop alone, and the value."""
        node = self.node(value)
        if node.type == "u8":
            raise Unsuited(f"{name} is a whole number without sign")
        unique = f"{name}.{len(self.inlined)}"  # a name may be assigned again, as in loops that are written out
        found = polynomial(value, self.values) if node.type in ("i4", "i8") else None
        if found is None:
            found = symbol(unique)
            if node.varying:
                self.opaque.add(unique)
        self.own[name] = Node("name", node.type, detail=unique, varying=node.varying)
        self.values[name] = found
        self.types[name] = node.type
        self.inlined[unique] = node
        return unique, node

    def node(self, expression: ast.expr) -> Node:
        """An expression."""
        match expression:
            case ast.Constant(bool() | int() | float() as value):
                return Node("number", str(type_of(expression, {})), detail=value)
            case ast.Name("inf" | "nan" as name):
                return Node("number", "f8", detail=float(name))
            case ast.Name(name):
                return self.name(name)
            case ast.UnaryOp(ast.USub(), ast.Constant(float() | int() as value)):
                return Node("number", str(type_of(expression, {})), detail=-value)
            case ast.Call(ast.Name(name), [operand], []) if name in CASTS:
                return cast(self.node(operand), name)
            case ast.Call(ast.Name(name), [ast.Name(base), index], []) if name.removeprefix("load_") in STORED:
                return self.load(STORED[name.removeprefix("load_")], base, index)
            case ast.Call(ast.Name(name), operands, []) if name == "where" or name in FUNCTIONS or name in PLAIN:
                return self.typed(expression, name, [self.node(each) for each in operands])
            case ast.UnaryOp(sign, operand):
                return self.unary(expression, "not" if isinstance(sign, ast.Not) else "negative", self.node(operand))
            case ast.BinOp(left, sign, right) if type(sign) in SIGNS:
                return self.binary(expression, SIGNS[type(sign)], self.node(left), self.node(right))
            case ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
                return self.compare(expression, SIGNS[type(sign)], self.node(left), self.node(right))
        raise Unsuited(f"it has {first_line(expression)!r}")

    def name(self, name: str) -> Node:
        if name in self.own:
            return self.own[name]
        type_ = self.loop.types.get(name)
        if type_ not in CASTS or not isinstance(type_, str):
            raise Unsuited(f"the type of {name} is not known")
        self.given[name] = type_
        return Node("name", type_, detail=name)

    def type(self, expression: ast.expr) -> str:
        found = type_of(expression, self.types)
        if not isinstance(found, str):
            raise Unsuited(f"the type of {first_line(expression)!r} is not known")
        return found

    def typed(self, expression: ast.expr, operation: str, operands: list[Node]) -> Node:
        return operation_on(operation, self.type(expression), operands)

    def unary(self, expression: ast.expr, operation: str, operand: Node) -> Node:
        type_ = self.type(expression)
        return operation_on(operation, type_, [cast(operand, type_)])

    def binary(self, expression: ast.expr, sign: str, left: Node, right: Node) -> Node:
        type_ = self.type(expression)
        return operation_on(sign, type_, [cast(left, type_), cast(right, type_)])

    def compare(self, expression: ast.expr, sign: str, left: Node, right: Node) -> Node:
        type_ = compared(left.type, right.type)
        if not type_:
            raise Unsuited(f"the type of {first_line(expression)!r} is not known")
        return operation_on(sign, "b1", [cast(left, type_), cast(right, type_)])

    # Memory.

    def load(self, type_: str, base: str, index: ast.expr) -> Node:
        place, node = self.access(base, index, type_, stores=False)
        return Node("load", type_, (node,), place, varying=place.stride != 0)

    def access(self, base: str, index: ast.expr, type_: str, stores: bool) -> tuple[Place, Node]:
        """Where an access goes, and its index: without the names of the round where its stride is known."""
        kind = self.loop.types.get(base)
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
    """A value in another type; numbers at once where that is exact."""
    if node.type == type_:
        return node
    if node.type == "u8" and type_ not in ("b1", "u1", "i4", "i8"):
        raise Unsuited("it makes a float of whole numbers without sign")
    if node.operation == "number" and type_ in WHOLE_BITS and node.type in ("b1", *WHOLE_BITS):
        half, number = 1 << WHOLE_BITS[type_] - 1, int(node.detail)
        return Node("number", type_, detail=number % 256 if type_ == "u1" else (number + half) % (2 * half) - half)
    if node.operation == "number" and type_ in ("f4", "f8"):
        return Node("number", type_, detail=float(np.float32(node.detail) if type_ == "f4" else node.detail))
    return Node("cast", type_, (node,), varying=node.varying)


def first_line(node: ast.AST) -> str:
    """The first line of the text of a node."""
    return ast.unparse(node).splitlines()[0]
