"""Lowers functions of the language to programs: looks up names, writes calls out, gives every value its type."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from autodiff.backends.llvm.mathematics.language import ByWidth, Constant, Instruction, Number, Program, Type
from autodiff.trace.syntax import parse


@dataclass(frozen=True, slots=True)
class Value:
    """The number and the type of the value of an instruction."""

    index: int
    type: Type


Operand = Value | Number | tuple[Any, ...]

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_SAME_TYPE = ("fma", "funnel", "scaled", "sqrt", "abs", "floor", "ceil", "trunc", "rint", "copysign")
_CHANGES_TYPE: dict[str, dict[Type, Type]] = {
    "bits": {"float32": "int32", "float64": "int64"},
    "number": {"int32": "float32", "int64": "float64"},
    "convert": {"int32": "float32", "int64": "float64"},
    "widen": {"float32": "float64", "int32": "int64"},
    "narrow": {"float64": "float32", "int64": "int32"},
}
_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "shift_left": operator.lshift,
    "shift_right": operator.rshift,
}


class Library:
    """Functions and constants by name, gathered from several sources.

    Args:
        sources: Pairs of a text and its constants.

    Raises:
        ValueError: If two sources define the same name.
    """

    def __init__(self, sources: Sequence[tuple[str, Mapping[str, Constant | ByWidth]]]) -> None:
        self.texts: dict[str, str] = {}
        self.constants: dict[str, Constant | ByWidth] = {}
        for text, constants in sources:
            parts = f"\n{text}".split("\ndef ")[1:]
            texts = {part.partition("(")[0]: f"def {part}\n" for part in parts}
            twice = (texts.keys() & self.texts.keys()) | (constants.keys() & self.constants.keys())
            if twice:
                raise ValueError(f"defined in two sources of vector mathematics: {', '.join(sorted(twice))}")
            self.texts |= texts
            self.constants |= constants

    @functools.cache  # noqa: B019 - a library lives as long as the process
    def function(self, name: str) -> ast.FunctionDef:
        """A function, parsed: most programs need few of them."""
        return cast("ast.FunctionDef", parse(self.texts[name]).body[0])

    @functools.cache  # noqa: B019 - a library lives as long as the process
    def program(self, name: str, types: tuple[Type, ...], fused: bool = True, scales: bool = False) -> Program:
        """The function as instructions, for parameters of these types."""
        lowering = _Lowering(self, fused, scales)
        parameters = tuple(lowering.emit("parameter", type_) for type_ in types)
        result = lowering.call(name, parameters)
        if not isinstance(result, Value):
            raise TypeError(f"{name} returns {len(cast('Any', result))} values, where one is needed")
        return Program(tuple(lowering.instructions), result.index)


class _Lowering:
    """Writes the instructions of one program."""

    def __init__(self, library: Library, fused: bool, scales: bool) -> None:
        self.library = library
        self.flags = {"fused": fused, "scales": scales}
        self.instructions: list[Instruction] = []

    def emit(self, operation: str, type_: Type, *operands: Value, number: Number | None = None) -> Value:
        self.instructions.append(Instruction(operation, type_, tuple(value.index for value in operands), number))
        return Value(len(self.instructions) - 1, type_)

    def call(self, name: str, operands: Sequence[Operand], single: bool = False) -> Operand:
        """A function of the library; of constants alone at the width of the caller."""
        function = self.library.function(name)
        for value in operands:
            if isinstance(value, Value):
                single = value.type in ("float32", "int32")
                break
        names = dict(zip((parameter.arg for parameter in function.args.args), operands, strict=True))
        result = _Body(self, names, single).run(function.body)
        if result is None:
            raise SyntaxError(f"{name} does not return a value")
        return result


class _Body:
    """The body of one function, with the values of its names."""

    def __init__(self, lowering: _Lowering, names: dict[str, Operand], single: bool) -> None:
        self.lowering = lowering
        self.names = names
        self.single = single

    def run(self, statements: Sequence[ast.stmt]) -> Operand | None:
        for statement in statements:
            match statement:
                case ast.Expr(ast.Constant(str())):
                    pass
                case ast.Assign([ast.Name(name)], value):
                    self.names[name] = self.of(value)
                case ast.Assign([ast.Tuple(targets)], value):
                    results = cast("tuple[Operand, ...]", self.of(value))
                    self.names |= {cast("ast.Name", to).id: result for to, result in zip(targets, results, strict=True)}
                case ast.If(ast.Name(flag), body, orelse):
                    result = self.run(body if self.flag(flag) else orelse)
                    if result is not None:
                        return result
                case ast.Return(ast.expr() as value):
                    return self.of(value)
                case _:
                    raise SyntaxError(f"not in the language of vector mathematics: {ast.unparse(statement)}")
        return None

    def flag(self, name: str) -> bool:
        return {"single": self.single, **self.lowering.flags}[name]

    def of(self, node: ast.expr) -> Operand:
        match node:
            case ast.Name(name):
                return self.names[name] if name in self.names else self.constant(name)
            case ast.Constant(int() | float() as value):
                return value
            case ast.Tuple(elements):
                return tuple(self.of(element) for element in elements)
            case ast.UnaryOp(ast.USub(), operand):
                return self.negative(self.of(operand))
            case ast.UnaryOp(ast.Invert(), operand):
                return self.same_type("not", self.of(operand))
            case ast.BinOp(left, sign, right) if type(sign) in _BINARY:
                return self.binary(_BINARY[type(sign)], self.of(left), self.of(right))
            case ast.Compare(left, [sign], [right]):
                x, y = self.alike(self.of(left), self.of(right))
                return self.lowering.emit(_COMPARE[type(sign)], "bool", x, y)
            case ast.Call(ast.Name(name), arguments):
                return self.call(name, [self.of(argument) for argument in arguments])
        raise SyntaxError(f"not in the language of vector mathematics: {ast.unparse(node)}")

    def constant(self, name: str) -> Constant:
        value = self.lowering.library.constants[name]
        if isinstance(value, ByWidth):
            return value.single if self.single else value.double
        return value

    def call(self, name: str, operands: list[Operand]) -> Operand:
        emit = self.lowering.emit
        if name in _SAME_TYPE:
            return self.same_type(name, *operands)
        if name in _CHANGES_TYPE:
            (value,) = self.alike(*operands)
            return emit(name, _CHANGES_TYPE[name][value.type], value)
        if name == "where":
            x, y = self.alike(*operands[1:])
            return emit("where", x.type, cast("Value", operands[0]), x, y)
        if name == "polynomial":
            return self.polynomial(operands[0], cast("tuple[Operand, ...]", operands[1]))
        if name == "repaired":
            y, looked_at = self.alike(*operands[:2])
            return emit("repaired", y.type, y, looked_at, number=cast("Number", operands[2]))
        if name == "choose":
            condition, first, second = cast("Any", operands)
            return tuple(self.call("where", [condition, x, y]) for x, y in zip(first, second, strict=True))
        if name == "window":
            return self.window(*cast("Any", operands))
        return self.lowering.call(name, operands, self.single)

    def polynomial(self, x: Operand, coefficients: tuple[Operand, ...]) -> Operand:
        pairs = [self.pair(x, coefficients[k : k + 2]) for k in range(0, len(coefficients), 2)]
        sum_ = pairs.pop()
        square = self.same_type("multiply", x, x) if pairs else x
        while pairs:
            sum_ = self.same_type("fma", sum_, square, pairs.pop())
        return sum_

    def pair(self, x: Operand, coefficients: tuple[Operand, ...]) -> Operand:
        low, *high = coefficients
        return self.same_type("fma", high[0], x, low) if high else low

    def window(self, table: tuple[Number, ...], start: Value, count: int) -> tuple[Value, ...]:
        integers = all(isinstance(number, int) for number in table)
        type_: Type = start.type if integers else self.float_type()
        values = [self.value(number, type_) for number in table]
        bit = 1 << (len(table) - count).bit_length()
        while bit := bit >> 1:
            masked = self.same_type("and", start, bit)
            skipped = self.lowering.emit("!=", "bool", masked, self.value(0, start.type))
            values = [
                self.lowering.emit("where", type_, skipped, values[i + bit], value) if i + bit < len(values) else value
                for i, value in enumerate(values[: count + bit - 1])
            ]
        return tuple(values)

    def binary(self, operation: str, x: Operand, y: Operand) -> Operand:
        if isinstance(x, Value) or isinstance(y, Value):
            return self.same_type(operation, x, y)
        return cast("Number", _FOLD[operation](x, y))

    def negative(self, x: Operand) -> Operand:
        return self.same_type("negative", x) if isinstance(x, Value) else -cast("Number", x)

    def same_type(self, operation: str, *operands: Operand) -> Value:
        values = self.alike(*operands)
        return self.lowering.emit(operation, values[0].type, *values)

    def alike(self, *operands: Operand) -> list[Value]:
        """The operands as values of one type: that of those which are values, or the float of this width."""
        types: set[Type] = {operand.type for operand in operands if isinstance(operand, Value)}
        type_, *others = types or {self.float_type()}
        if others:
            raise TypeError(f"operands of different types: {', '.join(sorted(types))}")
        return [self.value(operand, type_) for operand in operands]

    def float_type(self) -> Type:
        return "float32" if self.single else "float64"

    def value(self, operand: Operand, type_: Type) -> Value:
        if isinstance(operand, Value):
            return operand
        number = cast("Number", operand)
        return self.lowering.emit("constant", type_, number=float(number) if type_.startswith("float") else number)
