"""The kernel language as CUDA C++.

Kernels are described in one language on all machines: Python text of typed expressions
(:mod:`autodiff.backends.kernels.scalars`), a few statements, and loads and stores. Here it becomes C++; what the
functions in it are is said by the prelude.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from autodiff.backends.language.special import OPERANDS, PREFIX
from autodiff.trace.syntax import parse

TYPES = {
    "b1": "bool", "u1": "uint8", "i4": "int32", "i8": "int64", "f4": "float", "f8": "double",
    "f2": "float16", "g2": "bfloat16",
}  # fmt: skip
"""The casts of the kernel language, and the types that they are of."""

NAMES = {np.dtype(name): own for name, own in (
    ("bool", "bool"), ("uint8", "uint8"), ("int32", "int32"), ("int64", "int64"), ("float32", "float"),
    ("float64", "double"), ("uint32", "uint32"),
)}  # fmt: skip
"""The type of the elements of arrays."""

FUNCTIONS = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "lgamma": "log_gamma",
}  # fmt: skip
"""Functions that C++, or the prelude, knows by another name."""

SCIPY = {
    "erfinv": "erfinv", "erfcinv": "erfcinv", "erfcx": "erfcx", "ndtri": "normcdfinv", "log_ndtr": "log_ndtr",
    "logit": "logit", "gamma": "tgamma", "rgamma": "rgamma", "exp10": "exp10", "cosm1": "cosm1",
    "j0": "j0", "j1": "j1", "y0": "y0", "y1": "y1", "i0": "cyl_bessel_i0", "i1": "cyl_bessel_i1",
    "rel_entr": "rel_entr", "kl_div": "kl_div", "huber": "huber", "pseudo_huber": "pseudo_huber",
}  # fmt: skip
"""Functions of SciPy's that CUDA, or the prelude, knows. Kernels of CPUs call SciPy's own."""

FUNCTIONS.update({PREFIX + name: own for name, own in SCIPY.items()})

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.And: "&&", ast.Or: "||", ast.USub: "-",
}  # fmt: skip
"""``//`` and ``%`` are of places, which are never negative."""

DIVIDED: dict[type, str] = {ast.FloorDiv: "floored_quotient", ast.Mod: "floored_remainder"}
"""The same of values, which may be: they are cast."""


ELSEWHERE = OPERANDS.keys() - SCIPY.keys()
"""Operations that only kernels of CPUs do: they call SciPy's functions."""


def typename(dtype: np.dtype[np.generic]) -> str:
    """The C++ type of the elements of an array."""
    return NAMES.get(dtype) or dtype.name  # the prelude knows float16 and bfloat16 by their own names


@lru_cache(maxsize=16384)
def expression(text: str) -> str:
    """An expression as C++."""
    return _text(parse(text, mode="eval").body)


def statements(lines: Iterable[str], declared: Iterable[str] = ()) -> Iterator[str]:
    """Statements as C++: a name is declared where it is assigned first.

    Args:
        lines: of the kernel language.
        declared: names that are there already.
    """
    yield from _block(parse("\n".join(lines)).body, set(declared))


def _block(body: Iterable[ast.stmt], declared: set[str]) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield f"{'' if name in declared else 'auto '}{name} = {_bare(value)};"
                declared.add(name)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                yield f"{name} {OPERATORS[type(op)]}= {_bare(value)};"
            case ast.Expr(value=ast.Call(func=ast.Name(id=called), args=[array, place, value])):
                assert called.startswith("store_")
                yield f"{_text(array)}[{_bare(place)}] = {_bare(value)};"
            case ast.If(test=test, body=inner, orelse=[]):
                yield f"if ({_bare(test)}) {{"
                yield from (f"  {line}" for line in _block(inner, set(declared)))
                yield "}"
            case _:
                raise AssertionError(ast.unparse(statement))


def _bare(node: ast.expr) -> str:
    """An expression that stands by itself: without the parentheses that it has inside of others."""
    text = _text(node)
    sign = isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp)
    where = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "where"
    return text[1:-1] if (sign or where) and text.startswith("(") else text


def _text(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=bool(value)):
            return "true" if value else "false"
        case ast.Constant(value=value):
            return repr(value)
        case ast.Subscript(value=array, slice=place):
            return f"{_text(array)}[{_bare(place)}]"
        case ast.BinOp(left=ast.Call(func=ast.Name(id="i8")) as left, op=op, right=right) if type(op) in DIVIDED:
            return f"{DIVIDED[type(op)]}({_bare(left)}, {_bare(right)})"
        case ast.BinOp(left=left, op=op, right=right):
            return f"({_text(left)} {OPERATORS[type(op)]} {_text(right)})"
        case ast.UnaryOp(op=op, operand=operand):
            return f"({OPERATORS[type(op)]}{_text(operand)})"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return f"({_text(left)} {OPERATORS[type(op)]} {_text(right)})"
        case ast.BoolOp(op=op, values=values):
            return f"({f' {OPERATORS[type(op)]} '.join(map(_text, values))})"
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, args)
    raise AssertionError(ast.unparse(node))


def _call(name: str, args: list[ast.expr]) -> str:
    if name in TYPES:
        return _cast(TYPES[name], args[0])
    if name.startswith("load_"):
        return f"{_text(args[0])}[{_bare(args[1])}]"
    texts = list(map(_text, args))
    if name == "where":
        return f"({texts[0]} ? {texts[1]} : {texts[2]})"
    return f"{FUNCTIONS.get(name, name)}({', '.join(texts)})"


def _cast(kind: str, given: ast.expr) -> str:
    sign, operand = "", given
    if isinstance(given, ast.UnaryOp):
        sign, operand = "-", given.operand
    match operand:
        case ast.Name(id="inf"):
            return f"({sign}infinity<{kind}>())" if sign else f"infinity<{kind}>()"
        case ast.Name(id="nan"):
            return f"quiet_nan<{kind}>()"
        case ast.Constant(value=float(value)):
            return _number(kind, -value if sign else value)
        case ast.Constant(value=int(value)):
            return _number(kind, -value if sign else value)
    return f"cast<{kind}>({_bare(given)})"


def _number(kind: str, value: float) -> str:
    """A number of a type, exactly."""
    if kind in ("float", "double"):
        text = repr(float(value)) + ("f" if kind == "float" else "")
    elif kind == "int64":
        text = f"{value}LL" if value != -(2**63) else "(-9223372036854775807LL - 1)"
    elif kind == "int32" and value == -(2**31):
        text = "(-2147483647 - 1)"
    else:
        text = f"{kind}({value})" if kind in ("uint8", "bool") else str(value)
    return f"({text})" if value < 0 or text.startswith("-") else text


__all__ = ["ELSEWHERE", "NAMES", "TYPES", "expression", "statements", "typename"]
