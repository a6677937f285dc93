"""What an elementwise operation does to one element, typed: the expression of its facts with its operands in it.

The expressions are typed by the tape: every operand is cast to the dtype in which the operation computes before the
expression sees it, and every number in an expression has that dtype. So no printer of kernels can widen, promote or
round where NumPy does not.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from autodiff.backends.language import special
from autodiff.backends.native.special import can_call
from autodiff.trace.facts import Element
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, common_dtype, spec_of
from autodiff.trace.syntax import parse

DTYPES = {
    np.dtype(bool): "b1", np.dtype(np.uint8): "u1", np.dtype(np.int32): "i4", np.dtype(np.int64): "i8",
    np.dtype(np.float32): "f4", np.dtype(np.float64): "f8",
}  # fmt: skip
"""The dtypes of elements in kernels, and their names in kernel text."""

WORD = np.dtype(np.uint64)
"""The dtype of random states, which kernels move and draw from, as signed numbers of the same bits."""

HALVES = {"float16": "f2", "bfloat16": "g2"}
"""The dtypes of elements that some kernels load and store, and compute as float32: their names in kernel text."""

CONVERTING = ("widen", "narrow", "unrounded")
"""Operations between them and others (:mod:`autodiff.backends.kernels.halves`)."""

CONSTANTS = {
    "LN2": math.log(2), "PI": math.pi, "ROOT_HALF": math.sqrt(0.5), "INFINITY": math.inf,
}  # fmt: skip
CHEAP_CALLS = {"where", "maximum", "minimum", "fmax", "fmin", "absolute", "copysign", "floor", "ceil", "trunc", "rint"}
POWERS = {
    -2.0: "1 / (x * x)", -1.0: "1 / x", 0.5: "sqrt(x)", 1.0: "x",
    2.0: "x * x", 3.0: "x * x * x", 4.0: "(x * x) * (x * x)",
    -0.5: "where(absolute(x) == INFINITY, 0, 1 / absolute(sqrt(x)))",
    1.5: "where(absolute(x) == INFINITY, INFINITY, x * sqrt(x))",
}  # fmt: skip
"""Powers with a number for exponent, with what NumPy makes of infinities and of -0; NumPy computes some of these ways
itself."""

ROOT_OF_NUMBER = "where(x == -INFINITY, INFINITY, sqrt(x) + 0)"
"""A single number to the power of 0.5: of arrays NumPy takes the square root, which differs at -inf and at -0."""


def template(primitive: Primitive, operands: Sequence[Any], out: Spec) -> str:
    """The expression of an elementwise operation in its operands' names; empty where there is none.

    Args:
        primitive: the operation.
        operands: a spec for each operand, or the number that it is.
        out: the spec of the result.
    """
    real, element = out.dtype.kind == "f", primitive.facts.element
    if primitive.name == "power":
        exponent = operands[1]
        if not real or out.dtype not in DTYPES:
            return POWERS[exponent] if type(exponent) is int and exponent in (1, 2, 3) else ""
        known = type(exponent) in (int, float) and float(exponent) in POWERS
        if known and float(exponent) == 0.5 and getattr(operands[0], "kind", "python") != "array":
            return ROOT_OF_NUMBER
        return POWERS[float(exponent)] if known else "power(x, y)"
    if element is None:
        return of_scipy(primitive.name) if real else ""
    if element.of_truth and out.dtype == bool:
        return element.of_truth
    if takes_integers(element, out):
        return element.of_integers
    if element.computes == "floating":
        return element.text if real else ""
    if element.computes == "truth":
        booleans = all(spec_of(o).dtype == bool for o in operands)
        return element.text if booleans or element.on_integers else ""
    return element.text if not element.real_only or spec_of(operands[0]).dtype.kind == "f" else ""


def of_scipy(name: str) -> str:
    """The call of a function of SciPy's; empty where there is none."""
    if name not in special.OPERANDS or not can_call(name):
        return ""
    return f"{special.PREFIX}{name}({', '.join(special.OPERANDS[name])})"


def takes_integers(element: Element | None, out: Spec) -> bool:
    """Whether an operation has an expression of its own for a result that is an integer."""
    return element is not None and bool(element.of_integers) and out.dtype.kind in "iu"


def computed_in(primitive: Primitive, out: Spec) -> str:
    """In which dtype the expression of an operation computes, as its facts say it."""
    element = primitive.facts.element
    return "result" if element is None or takes_integers(element, out) else element.computes


def computing_dtypes(primitive: Primitive, operands: Sequence[Spec], out: Spec) -> tuple[np.dtype[Any], ...]:
    """The dtype to which each operand is cast before the expression sees it."""
    computes = computed_in(primitive, out)
    if computes == "operands":
        return (common_dtype(*operands),) * len(operands)
    if computes == "truth":
        return (np.dtype(bool),) * len(operands)
    if computes == "own":
        return tuple(operand.dtype for operand in operands)
    if primitive.name == "where":
        return np.dtype(bool), out.dtype, out.dtype
    return (out.dtype,) * len(operands)


def unsupported(primitive: Primitive, operands: Sequence[Any], out: Spec) -> str:
    """Why no kernel can do this elementwise operation; empty if one can."""
    name, specs = primitive.name, [spec_of(o) for o in operands]
    for one in (*specs, out):
        if not storable(name, one.dtype):
            return f"kernels know no {one.dtype.name}"
    if name in CONVERTING:
        return ""
    if not template(primitive, operands, out):
        return f"{name} of {', '.join(s.dtype.name for s in specs)} has no scalar expression"
    dtypes = computing_dtypes(primitive, specs, out)
    if any(d not in DTYPES for d in dtypes):
        return f"{name} of {', '.join(s.dtype.name for s in specs)} computes in a dtype that kernels do not know"
    if any(type(o) is int and d.kind != "f" and not -(2**63) <= o < 2**63 for o, d in zip(operands, dtypes)):
        return "an integer has more than 64 bits"
    return ""


def storable(name: str, dtype: np.dtype[Any]) -> bool:
    """Whether an operation may have elements of a dtype in a kernel."""
    return dtype in DTYPES or (name in CONVERTING and dtype.name in HALVES)


def literal(value: Any, dtype: np.dtype[Any]) -> str:
    """The text of a number of a dtype."""
    if dtype == WORD:
        return f"i8({int(np.uint64(value).view(np.int64))})"
    code = DTYPES[dtype]
    if dtype.kind == "f":
        number = float(dtype.type(value))
        if math.isnan(number) or math.isinf(number):
            return f"{code}({'nan' if math.isnan(number) else 'inf' if number > 0 else '-inf'})"
        return f"{code}({number!r})"
    return f"{code}({int(value)})" if dtype.kind != "b" else repr(bool(value))


def cast(text: str, given: np.dtype[Any], wanted: np.dtype[Any]) -> str:
    """A value of one dtype as text in another one."""
    if given == wanted:
        return text
    if wanted.kind == "b":
        return f"({text} != {literal(0, given)})"
    return f"{DTYPES.get(wanted) or HALVES[wanted.name]}({text})"


def expression(primitive: Primitive, operands: Sequence[Any], texts: Sequence[str], out: Spec) -> str:
    """One element of the result as text.

    Args:
        primitive: the operation.
        operands: specs and numbers.
        texts: the text of each operand; of numbers it is not looked at.
        out: the spec of the result.
    """
    specs = [spec_of(o) for o in operands]
    wanted = computing_dtypes(primitive, specs, out)
    given = {}
    for operand, text, own, spec, dtype in zip(operands, texts, primitive.operands, specs, wanted, strict=True):
        given[own] = cast(text, spec.dtype, dtype) if isinstance(operand, Spec) else literal(operand, dtype)
    inner = wanted[-1] if wanted else out.dtype
    written = put_in(template(primitive, operands, out), inner, given)
    computes = computed_in(primitive, out)
    computed = np.dtype(bool) if computes in ("operands", "truth") else inner
    if computed.kind in "iu" and computes != "own" and primitive.name != "where":
        written = f"{DTYPES[computed]}({written})"  # integers of all lengths are computed in the longest
    return cast(written, computed, out.dtype)


def stands_alone(text: str) -> bool:
    """Whether an operand stands in an expression as it is: a name, or a cast of a name or number."""
    name, bracket, inner = text.partition("(")
    plain = inner.replace(".", "0").replace("+", "0").replace("-", "0").replace("_", "0")
    return name.isidentifier() and (not bracket or (plain.endswith(")") and (plain[:-1] or "0").isalnum()))


def put_in(text: str, dtype: np.dtype[Any], given: Mapping[str, str]) -> str:
    """An expression with the texts of its operands in it."""
    if all(map(stands_alone, given.values())):
        return with_places(text, dtype).format_map(given)
    return _Writer(given, dtype).text(parsed(text))


@cache
def with_places(text: str, dtype: np.dtype[Any]) -> str:
    """An expression with places for its operands, ``{x}``, every number typed.

    To Python such a place is a set of one name, which it writes as it reads it.
    """
    names = {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}
    return _Writer({name: f"{{{name}}}" for name in names}, dtype).text(parsed(text))


@cache
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression."""
    return parse(text, mode="eval").body


class _Writer:
    """Expressions with operands put in and every number typed."""

    def __init__(self, given: Mapping[str, str], dtype: np.dtype[Any]) -> None:
        self.given, self.dtype = given, dtype

    def text(self, node: ast.expr) -> str:
        changed = ast.fix_missing_locations(_Typed(self).visit(ast.fix_missing_locations(_copy(node))))
        return ast.unparse(changed)


def _copy(node: ast.expr) -> ast.expr:
    return parse(ast.unparse(node), mode="eval").body


class _Typed(ast.NodeTransformer):
    def __init__(self, writer: _Writer) -> None:
        self.writer = writer

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        number = _number(node)
        if number is not None:
            return parsed(literal(number, self.writer.dtype))
        self.generic_visit(node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        number = _number(node)
        if number is not None:
            return parsed(literal(number, self.writer.dtype))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [self.visit(arg) for arg in node.args]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return node if node.value is True else parsed(literal(node.value, self.writer.dtype))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in CONSTANTS:
            return parsed(literal(CONSTANTS[node.id], self.writer.dtype))
        return parsed(self.writer.given[node.id])


def _number(node: ast.expr) -> float | None:
    """The value of an expression of numbers alone."""
    operations: dict[type, Callable[[float, float], float]] = {
        ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b,
    }
    if isinstance(node, ast.Constant):
        return None if node.value is True else node.value  # type: ignore[return-value]
    if isinstance(node, ast.Name):
        return CONSTANTS.get(node.id)
    if isinstance(node, ast.UnaryOp):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and type(node.op) in operations:
        left, right = _number(node.left), _number(node.right)
        return None if left is None or right is None else operations[type(node.op)](left, right)
    return None


def costly(primitive: Primitive, operands: Sequence[Any], out: Spec) -> bool:
    """Whether computing an element again costs more than loading it: divisions and functions do."""
    return has_costly_calls(template(primitive, operands, out))


@cache
def has_costly_calls(text: str) -> bool:
    """Whether an expression divides, or calls a function that is not cheap."""
    calls = {node.func.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Call)}  # type: ignore[attr-defined]
    return "/" in text or bool(calls - CHEAP_CALLS)
