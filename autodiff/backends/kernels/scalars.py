"""The scalar language: what an elementwise operation does to one element, as one expression.

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
from autodiff.trace.spec import Spec, common_dtype, spec_of

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

QUOTIENT = "((x - fmod(x, y)) / y - where((fmod(x, y) != 0) & ((y < 0) ^ (fmod(x, y) < 0)), 1, 0))"
FLOOR = f"floor({QUOTIENT}) + where({QUOTIENT} - floor({QUOTIENT}) > 0.5, 1, 0)"
"""The quotient of what y divides exactly, and the whole number at or below it: NumPy's own way of rounding down."""

# fmt: off
FLOATING = {
    "divide":     "x / y",
    "reciprocal": "1 / x",
    "sqrt":       "sqrt(x)",
    "root":       "sqrt(x)",
    "cbrt":       "cbrt(x)",
    "exp":        "exp(x)",
    "exp2":       "exp2(x)",
    "expm1":      "expm1(x)",
    "log":        "log(x)",
    "log2":       "log2(x)",
    "log10":      "log10(x)",
    "log1p":      "log1p(x)",
    "logistic":   "logistic(x)",
    "softplus":   "softplus(x)",
    "logaddexp":  "where(x == y, x + LN2, maximum(x, y) + log1p(exp(-absolute(x - y))))",
    "logaddexp2": "where(x == y, x + 1, maximum(x, y) + log1p(exp2(-absolute(x - y))) / LN2)",
    "sin":        "sin(x)",
    "cos":        "cos(x)",
    "tan":        "tan(x)",
    "arcsin":     "arcsin(x)",
    "arccos":     "arccos(x)",
    "arctan":     "arctan(x)",
    "arctan2":    "arctan2(x, y)",
    "hypot":      "hypot(x, y)",
    "deg2rad":    "x * (PI / 180)",
    "rad2deg":    "x * (180 / PI)",
    "sinh":       "sinh(x)",
    "cosh":       "cosh(x)",
    "tanh":       "tanh(x)",
    "arcsinh":    "arcsinh(x)",
    "arccosh":    "arccosh(x)",
    "arctanh":    "arctanh(x)",
    "erf":        "erf(x)",
    "erfc":       "erfc(x)",
    "gammaln":    "lgamma(x)",
    "digamma":    "digamma(x)",
    "fabs":       "absolute(x)",
    "floor":      "floor(x)",
    "ceil":       "ceil(x)",
    "trunc":      "trunc(x)",
    "rint":       "rint(x)",
    "copysign":   "copysign(x, y)",
    "fmax":       "fmax(x, y)",
    "fmin":       "fmin(x, y)",
    "heaviside":  "where(x == 0, y, where(x < 0, 0, where(x > 0, 1, x)))",
    "fmod":       "fmod(x, y)",
    "remainder":  "where(fmod(x, y) == 0, copysign(0, y), fmod(x, y) + where((y < 0) ^ (fmod(x, y) < 0), y, 0))",
    "floor_divide": f"where(y == 0, x / y, where({QUOTIENT} == 0, copysign(0, x / y), {FLOOR}))",
    "expit":      "logistic(x)",
    "log_expit":  "-softplus(-x)",
    "ndtr":       "erfc(x * -ROOT_HALF) / 2",
    "xlogy":      "where((x == 0) & (y == y), 0, x * log(y))",
    "xlog1py":    "where((x == 0) & (y == y), 0, x * log1p(y))",
    "entr":       "where(x > 0, -x * log(x), where(x == 0, 0, where(x < 0, -INFINITY, x)))",
    "special_exp2":  "exp2(x)",
    "special_cbrt":  "cbrt(x)",
    "special_log1p": "log1p(x)",
    "special_expm1": "expm1(x)",
}
"""Operations that compute in a floating dtype, the one of their result."""

NUMERIC = {
    "add":        "x + y",
    "subtract":   "x - y",
    "multiply":   "x * y",
    "negative":   "-x",
    "positive":   "x",
    "square":     "x * x",
    "absolute":   "absolute(x)",
    "sign":       "where(x > 0, 1, where(x < 0, -1, where(x == 0, 0, x)))",
    "maximum":    "maximum(x, y)",
    "minimum":    "minimum(x, y)",
    "rectifier":  "maximum(x, 0)",
    "clip":       "minimum(maximum(x, low), high)",
    "where":      "where(c, x, y)",
    "conjugate":  "x",
    "real":       "x",
    "stop_gradient": "x",
    "cast":       "x",
    "python_number": "x",
    "copy":       "x",
}
"""Operations that compute in the dtype of their result, whatever it is."""

COMPARING = {
    "equal":         "x == y",
    "not_equal":     "x != y",
    "less":          "x < y",
    "less_equal":    "x <= y",
    "greater":       "x > y",
    "greater_equal": "x >= y",
    "isnan":         "x != x",
    "isinf":         "absolute(x) == INFINITY",
    "isfinite":      "absolute(x) < INFINITY",
    "signbit":       "copysign(1, x) < 0",
}
"""Operations that compute in the common dtype of their operands and say true or false."""

LOGICAL = {
    "logical_and": "x & y",
    "logical_or":  "x | y",
    "logical_xor": "x ^ y",
    "logical_not": "x ^ True",
    "bitwise_and": "x & y",
    "bitwise_or":  "x | y",
    "bitwise_xor": "x ^ y",
    "invert":      "x ^ True",
}
"""Operations on booleans."""

OF_BOOLEANS = {
    "add":      "x | y",
    "multiply": "x & y",
}
"""Arithmetic whose result is a boolean."""
# fmt: on

ONLY_FLOATING = {"isinf", "isfinite", "signbit"}
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


def template(name: str, operands: Sequence[Any], out: Spec) -> str:
    """The expression of an operation in its operands' names; empty where there is none.

    Args:
        name: the primitive's.
        operands: a spec for each operand, or the number that it is.
        out: the spec of the result.
    """
    real = out.dtype.kind == "f"
    if name in CONVERTING:
        return "x"
    if name == "power":
        exponent = operands[1]
        if not real or out.dtype not in DTYPES:
            return POWERS[exponent] if type(exponent) is int and exponent in (1, 2, 3) else ""
        known = type(exponent) in (int, float) and float(exponent) in POWERS
        return POWERS[float(exponent)] if known else "power(x, y)"
    if name in OF_BOOLEANS and out.dtype == bool:
        return OF_BOOLEANS[name]
    if name in FLOATING:
        return FLOATING[name] if real else ""
    if name in special.OPERANDS:
        called = f"{special.PREFIX}{name}({', '.join(special.OPERANDS[name])})"
        return called if real and can_call(name) else ""
    if name in LOGICAL:
        booleans = all(spec_of(o).dtype == bool for o in operands)
        return LOGICAL[name] if booleans or name.startswith("logical") else ""
    if name in ONLY_FLOATING and spec_of(operands[0]).dtype.kind != "f":
        return ""
    return NUMERIC.get(name) or COMPARING.get(name, "")


def computing_dtypes(name: str, operands: Sequence[Spec], out: Spec) -> tuple[np.dtype[Any], ...]:
    """The dtype to which each operand is cast before the expression sees it."""
    if name in COMPARING:
        return (common_dtype(*operands),) * len(operands)
    if name in LOGICAL:
        return (np.dtype(bool),) * len(operands)
    if name == "where":
        return np.dtype(bool), out.dtype, out.dtype
    if name == "cast" or name in CONVERTING:
        return (operands[0].dtype,)
    return (out.dtype,) * len(operands)


def unsupported(name: str, operands: Sequence[Any], out: Spec) -> str:
    """Why no kernel can do this elementwise operation; empty if one can."""
    specs = [spec_of(o) for o in operands]
    for one in (*specs, out):
        if not storable(name, one.dtype):
            return f"kernels know no {one.dtype.name}"
    if name in CONVERTING:
        return ""
    if not template(name, operands, out):
        return f"{name} of {', '.join(s.dtype.name for s in specs)} has no scalar expression"
    dtypes = computing_dtypes(name, specs, out)
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


def expression(name: str, operands: Sequence[Any], texts: Sequence[str], names: Sequence[str], out: Spec) -> str:
    """One element of the result as text.

    Args:
        name: the primitive's.
        operands: specs and numbers.
        texts: the text of each operand; of numbers it is not looked at.
        names: what the primitive calls its operands.
        out: the spec of the result.
    """
    specs = [spec_of(o) for o in operands]
    wanted = computing_dtypes(name, specs, out)
    given = {}
    for operand, text, own, spec, dtype in zip(operands, texts, names, specs, wanted, strict=True):
        given[own] = cast(text, spec.dtype, dtype) if isinstance(operand, Spec) else literal(operand, dtype)
    inner = wanted[-1] if wanted else out.dtype
    written = put_in(template(name, operands, out), inner, given)
    computed = np.dtype(bool) if name in COMPARING or name in LOGICAL else inner
    if computed.kind in "iu" and name not in ("cast", "where"):  # integers of all lengths are computed in the longest
        written = f"{DTYPES[computed]}({written})"
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
    return ast.parse(text, mode="eval").body


class _Writer:
    """Expressions with operands put in and every number typed."""

    def __init__(self, given: Mapping[str, str], dtype: np.dtype[Any]) -> None:
        self.given, self.dtype = given, dtype

    def text(self, node: ast.expr) -> str:
        changed = ast.fix_missing_locations(_Typed(self).visit(ast.fix_missing_locations(_copy(node))))
        return ast.unparse(changed)


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


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


def costly(name: str, operands: Sequence[Any], out: Spec) -> bool:
    """Whether computing an element again costs more than loading it: divisions and functions do."""
    return has_costly_calls(template(name, operands, out))


@cache
def has_costly_calls(text: str) -> bool:
    """Whether an expression divides, or calls a function that is not cheap."""
    calls = {node.func.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Call)}  # type: ignore[attr-defined]
    return "/" in text or bool(calls - CHEAP_CALLS)
