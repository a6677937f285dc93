"""From the text of a kernel to its tree: the one place that knows Python's syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache

from autodiff.backends.language.conversion import converted
from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.functions import called, signature
from autodiff.backends.language.names import read_after_loops, uses_of
from autodiff.backends.language.tree import (
    Array,
    Binary,
    Call,
    Choice,
    Compare,
    Conditions,
    Expression,
    For,
    Function,
    If,
    Leave,
    Let,
    Load,
    Name,
    Number,
    Run,
    Shifted,
    Statement,
    Store,
    Unary,
    While,
    natural,
)
from autodiff.backends.language.types import CASTS, STORED, Pointer, Type, binary, compared, unary
from autodiff.trace.syntax import parse

# fmt: off
SIGNS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.USub: "negative", ast.Not: "not",
}
# fmt: on
INDICES = ("i4", "i8", "u1", "b1")
SPECIAL = ("inf", "nan")


@lru_cache(maxsize=4)
def read(text: str) -> Function:
    r"""The tree of a kernel.

    Args:
        text: one function of whole numbers.

    Raises:
        Unsuited: if the text has something that is no part of the language.

    >>> tree = read("def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    store_float64(x, lo, hi)")
    >>> print(tree)
    def kernel(block, lo, hi):
        x = pointer(block, 0)
        store_float64(x, lo, f8(hi))
    <BLANKLINE>
    """
    match parse(text).body:
        case [ast.FunctionDef(name, decorator_list=[]) as definition]:
            parameters = tuple(each.arg for each in definition.args.args)
            reader = Reader(dict.fromkeys(parameters, "i8"))
            return Function(name, parameters, reader.block(definition.body), reader.types)
    raise Unsuited("it has more than one function")


def forget() -> None:
    """Free the trees of the kernels that were read last, and what is known of their names."""
    for kept in (read, uses_of, read_after_loops):
        kept.cache_clear()


def read_lines(lines: Iterable[str], types: dict[str, Type]) -> tuple[Statement, ...]:
    """The statements of some lines of a kernel.

    Args:
        lines: of the text.
        types: of the names before; those that are assigned come in.
    """
    return Reader(types).block(parse("\n".join(lines)).body)


class Reader:
    """Reads statements from the first to the last.

    Attributes:
        types: of the names so far.
    """

    def __init__(self, types: dict[str, Type]) -> None:
        self.types = types

    # Statements.

    def block(self, body: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        return tuple(found for each in body if (found := self.statement(each)) is not None)

    def statement(self, node: ast.stmt) -> Statement | None:
        """A statement; None for one that does nothing."""
        line = node.lineno
        match node:
            case ast.Assign([ast.Name(name)], value):
                return self.let([name], [self.value(value)], line)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                names = [each.id for each in targets if isinstance(each, ast.Name)]
                if len(names) < len(targets):
                    raise refusal("it has {!r}", node)
                return self.let(names, [self.value(each) for each in values], line)
            case ast.AugAssign(ast.Name(name), sign, value) if type(sign) in SIGNS:
                return self.let(
                    [name], [self.binary(node, SIGNS[type(sign)], self.name(name), self.value(value))], line
                )
            case ast.Expr(ast.Call(ast.Name(name), operands, [])):
                return self.run(node, name, [self.value(each) for each in operands])
            case ast.For(ast.Name(name), iterated, body, []):
                start, stop, step = self.range_of(iterated)
                self.assign(name, "i8")
                return For(name, start, stop, step, self.block(body), line)
            case ast.While(test, body, []):
                return While(self.as_type(test, "b1"), self.block(body), line)
            case ast.If(test, body, orelse):
                return If(self.as_type(test, "b1"), self.block(body), self.block(orelse), line)
            case ast.Break() | ast.Continue() | ast.Return(None):
                return Leave(type(node).__name__.lower(), line)
            case ast.Pass() | ast.Expr(ast.Constant(str())):
                return None
        raise refusal("it has {!r}", node)

    def let(self, names: Sequence[str], values: Sequence[Expression], line: int) -> Let:
        for name, value in zip(names, values, strict=True):
            self.assign(name, value.type)
        return Let(tuple(names), tuple(values), line)

    def assign(self, name: str, type_: Type) -> None:
        """Give a name its type, or see that it has that."""
        if self.types.setdefault(name, type_) != type_:
            raise Unsuited(f"the type of {name} is not known")

    def range_of(self, node: ast.expr) -> tuple[Expression, Expression, int]:
        """Where a loop starts, where it stops, and its step."""
        match node:
            case ast.Call(ast.Name("range"), [stop], []):
                return Number(0, "i8"), self.as_type(stop, "i8"), 1
            case ast.Call(ast.Name("range"), [start, stop], []):
                return self.as_type(start, "i8"), self.as_type(stop, "i8"), 1
            case ast.Call(ast.Name("range"), [start, stop, step], []):
                step_by = self.value(step)
                if literal(step_by):
                    return self.as_type(start, "i8"), self.as_type(stop, "i8"), literal(step_by)
        raise refusal("it goes over {!r}", node)

    def run(self, node: ast.stmt, name: str, operands: list[Expression]) -> Statement:
        """A store, or a procedure."""
        if name.startswith("store_") and name.removeprefix("store_") in STORED and len(operands) == 3:
            element = name.removeprefix("store_")
            base, index, value = operands
            return Store(element, address(base), whole(index), converted(value, STORED[element]), node.lineno)
        kinds = signature(name)
        if kinds is None or len(kinds) != len(operands):
            raise refusal("it has {!r}", node)
        for kind, operand in zip(kinds, operands, strict=True):
            if kind == "a":
                address(operand)
            elif kind == "l":
                literal(operand)
            elif operand.type != "i8":
                raise Unsuited(f"{str(operand)!r} is no i8")
        return Run(name, tuple(operands), node.lineno)

    # Expressions.

    def value(self, node: ast.expr) -> Expression:
        """Any expression."""
        match node:
            case ast.Name(name):
                return self.name(name)
            case ast.Constant(bool() | int() | float() as number):
                return Number(number, natural(number))
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)) if not isinstance(number, bool):
                return Number(-number, natural(number))
            case ast.UnaryOp(sign, operand) if type(sign) in SIGNS:
                return self.unary(node, SIGNS[type(sign)], self.value(operand))
            case ast.BinOp(left, sign, right) if type(sign) in SIGNS:
                return self.binary(node, SIGNS[type(sign)], self.value(left), self.value(right))
            case ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
                return self.comparison(node, SIGNS[type(sign)], self.value(left), self.value(right))
            case ast.BoolOp(operator, operands):
                every = isinstance(operator, ast.And)
                return Conditions(every, tuple(self.as_type(each, "b1") for each in operands))
            case ast.IfExp(test, body, orelse):
                choice = Choice(self.as_type(test, "b1"), self.value(body), self.value(orelse))
                if choice.orelse.type != choice.type:
                    raise refusal("{!r} has two types", node)
                return choice
            case ast.Call(ast.Name(name), operands, []):
                return self.call(node, name, [self.value(each) for each in operands])
        raise refusal("it has {!r}", node)

    def as_type(self, node: ast.expr, type_: str) -> Expression:
        """An expression that must have a type."""
        found = self.value(node)
        if found.type != type_:
            raise refusal(f"{{!r}} is no {type_}", node)
        return found

    def name(self, name: str) -> Expression:
        found = self.types.get(name)
        if found is not None:
            return Name(name, found)
        if name in SPECIAL:
            return Number(float(name), "f8")
        raise Unsuited(f"nothing is known of {name}")

    def unary(self, node: ast.expr, sign: str, operand: Expression) -> Expression:
        type_ = known(unary(sign, operand.type), node)
        return Unary(sign, converted(operand, type_), type_)

    def binary(self, node: ast.AST, sign: str, left: Expression, right: Expression) -> Expression:
        type_ = known(binary(sign, left.type, right.type), node)
        return Binary(sign, converted(left, type_), converted(right, type_), type_)

    def comparison(self, node: ast.expr, sign: str, left: Expression, right: Expression) -> Expression:
        type_ = known(compared(left.type, right.type), node)
        return Compare(sign, converted(left, type_), converted(right, type_))

    def call(self, node: ast.expr, name: str, operands: list[Expression]) -> Expression:
        """What a function gives."""
        match name, operands:
            case "pointer", [block, Number(int(word))] if block.type == "i8":
                return Array(block, word)
            case "pointer", _:
                raise Unsuited("it has a pointer of no literal word")
            case "shifted", [base, offset] if offset.type == "i8":
                return Shifted(address(base), offset)
            case _, [operand] if name in CASTS:
                return converted(operand, name)
            case _, [base, index] if name.startswith("load_") and name.removeprefix("load_") in STORED:
                element = name.removeprefix("load_")
                return Load(element, address(base), whole(index), STORED[element])
        type_ = called(name, [each.type for each in operands])
        if type_ is None:
            raise refusal("it has {!r}", node)
        return Call(name, tuple(operands), type_)


def literal(node: Expression) -> int:
    """A number that decides what code is printed."""
    if isinstance(node, Number) and node.type == "i8":
        return int(node.value)
    raise Unsuited(f"{str(node)!r} is no number in the text")


def address(node: Expression) -> Expression:
    """An expression that must be an address."""
    if isinstance(node.type, Pointer) or node.type == "i8":
        return node
    raise Unsuited(f"{str(node)!r} is no address")


def whole(node: Expression) -> Expression:
    """An expression that must be an index."""
    if node.type in INDICES:
        return node
    raise Unsuited(f"{str(node)!r} is no index")


def known(type_: str | None, node: ast.AST) -> str:
    """A type that there must be."""
    if type_ is None:
        raise refusal("the type of {!r} is not known", node)
    return type_


def refusal(reason: str, node: ast.AST) -> Unsuited:
    """The error for a part of a text, of which the reason shows the first line."""
    return Unsuited(reason.format(ast.unparse(node).splitlines()[0]))
