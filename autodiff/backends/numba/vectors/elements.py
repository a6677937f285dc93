"""The types of names and expressions in the text of a kernel, as Numba finds them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autodiff.backends.numba.loading import ENTRY
from autodiff.backends.numba.mathematics.names import FUNCTIONS
from autodiff.backends.numba.mathematics.plain import PLAIN
from autodiff.backends.numba.special import CALLS


@dataclass(frozen=True)
class Pointer:
    """The address of an array that shares no memory with those of other words of the block."""

    word: int


Type = str | Pointer

# fmt: off
SIZES = {"b1": 1, "u1": 1, "i4": 4, "i8": 8, "f4": 4, "f8": 8, "u8": 8}
"""The types of elements, and their bytes; u8 is what Numba computes whole numbers without sign in, and nothing else."""

STORED = {
    "bool": "b1", "uint8": "u1", "int32": "i4", "int64": "i8", "uint64": "i8", "float32": "f4", "float64": "f8",
}  # fmt: skip
"""The types of elements by the names of loads and stores; words of random states are moved as signed numbers."""

WORDS = {"word": "i8", "real64": "f8", "real32": "f4"}
SIGNED, FLOATS, CASTS = {"i4", "i8"}, {"f4", "f8"}, SIZES.keys() - {"u8"}
BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
WHOLE = (ast.Add, ast.Sub, ast.Mult, *BITWISE)
# fmt: on


def type_of(node: ast.expr, names: Mapping[str, Type | None]) -> Type | None:
    """The type of an expression; None if it is none that loops are printed of.

    Args:
        node: the expression.
        names: the types of names.
    """
    match node:
        case ast.Name(name):
            return "f8" if name in ("inf", "nan") else names.get(name)
        case ast.Constant(bool()):
            return "b1"
        case ast.Constant(int()):
            return "i8"
        case ast.Constant(float()):
            return "f8"
        case ast.UnaryOp(sign, operand):
            return unary(sign, type_of(operand, names))
        case ast.BinOp(left, sign, right):
            return binary(sign, type_of(left, names), type_of(right, names))
        case ast.Compare(left, [_], [right]):
            return "b1" if compared(type_of(left, names), type_of(right, names)) else None
        case ast.BoolOp(_, operands):
            return "b1" if {type_of(each, names) for each in operands} == {"b1"} else None
        case ast.IfExp(_, body, orelse):
            found = type_of(body, names)
            return found if found == type_of(orelse, names) else None
        case ast.Call(ast.Name("pointer"), [_, ast.Constant(int(word))], []):
            return Pointer(word)
        case ast.Call(ast.Name("shifted"), [base, _], []):
            return type_of(base, names)
        case ast.Call(ast.Name(name), operands, []):
            return called(name, operands, names)
    return None


def unary(sign: ast.unaryop, operand: Type | None) -> Type | None:
    """The type of an operation on one number."""
    if isinstance(sign, ast.USub) and operand in FLOATS | SIGNED | {"u1"}:
        return operand if operand in FLOATS else "u8" if operand == "u1" else "i8"
    return "b1" if isinstance(sign, ast.Not) and operand == "b1" else None


def binary(sign: ast.operator, left: Type | None, right: Type | None) -> Type | None:
    """The type of an operation on two numbers: whole numbers are computed in the longest, of their kind."""
    types = {left, right}
    if types <= FLOATS:
        arithmetic = isinstance(sign, (ast.Add, ast.Sub, ast.Mult, ast.Div))
        return ("f8" if "f8" in types else "f4") if arithmetic else None
    if types == {"b1"}:
        return "b1" if isinstance(sign, BITWISE) else None
    if types <= SIGNED | {"u1"} and types & SIGNED:
        return "i8" if isinstance(sign, (*WHOLE, ast.FloorDiv, ast.Mod)) else None
    return "u8" if types <= {"u1", "u8"} and isinstance(sign, WHOLE) else None


def compared(left: Type | None, right: Type | None) -> str:
    """The type in which two numbers are compared; empty if that is not known."""
    types = {left, right}
    if types <= FLOATS:
        return "f8" if "f8" in types else "f4"
    if types <= SIGNED | {"u1"}:
        return "i8"
    return "b1" if types == {"b1"} else ""


def called(name: str, operands: Sequence[ast.expr], names: Mapping[str, Type | None]) -> Type | None:
    """The type of what a function gives."""
    if name in WORDS:
        return WORDS[name]
    if name.startswith("load_"):
        return STORED.get(name.removeprefix("load_"))
    if name in CASTS:
        return name if len(operands) == 1 and type_of(operands[0], names) in SIZES else None
    types = [type_of(operand, names) for operand in operands]
    if name == "where" and len(types) == 3:
        return types[1] if types[0] == "b1" and types[1] == types[2] and types[1] in SIZES else None
    if name in ("min", "max"):
        return "i8" if set(types) == {"i8"} else None
    if len(types) == FUNCTIONS.get(name, CALLS.get(name)):
        accepted = FLOATS
    elif name in PLAIN and len(types) == PLAIN[name][0]:
        accepted = FLOATS if PLAIN[name][2] else set(CASTS)
    else:
        return None
    return types[0] if len(set(types)) == 1 and types[0] in accepted else None


@lru_cache(maxsize=2)
def types_of_names(function: ast.FunctionDef) -> dict[str, Type | None]:
    """The types of all names of a function; None for those that have none that is known, or several."""
    arguments = function.args.args if function.name == ENTRY else []
    found: dict[str, Type | None] = {argument.arg: "i8" for argument in arguments}
    assigned = assignments(function)
    growing = True
    while growing:  # what is found of some assignments
        growing = False
        for name, value in assigned:
            if name not in found:
                found[name] = type_of(value, found)
                if found[name] is None:
                    del found[name]
                else:
                    growing = True
    wrong: set[str] | None = None
    while wrong is None or wrong:  # must be true of all
        wrong = {name for name, value in assigned if found.get(name) and type_of(value, found) != found[name]}
        found.update(dict.fromkeys(wrong))
    return found


def assignments(block: ast.stmt) -> list[tuple[str, ast.expr]]:
    """What names are assigned, in the order of the text; an expression of no type where that cannot be told."""
    found: list[tuple[str, ast.expr]] = []
    for node in getattr(block, "body", []) + getattr(block, "orelse", []):
        match node:
            case ast.Assign([ast.Name(name)], value):
                found.append((name, value))
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                found += [(target.id, value) for target, value in zip(targets, values) if isinstance(target, ast.Name)]
            case ast.AugAssign(ast.Name(name), sign, value):
                found.append((name, ast.BinOp(ast.Name(name), sign, value)))
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"))):
                found.append((name, ast.Constant(0)))
                found += assignments(node)
            case ast.While() | ast.If():
                found += assignments(node)
            case ast.Expr():
                pass
            case _:
                stored = (each for each in ast.walk(node) if isinstance(each, ast.Name))
                found += [(each.id, ast.Constant(None)) for each in stored if isinstance(each.ctx, ast.Store)]
    return found
