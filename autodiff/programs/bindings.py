"""What the names of a module are bound to, as far as its syntax tree says."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module

STARS = ("numpy", "math", "cmath", "scipy", "autodiff")
"""Packages of which ``from package import *`` is looked up."""

Binding = tuple[str, bool]
"""A name, and whether it is bound to one of Python's integers there."""


def imported_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that the import statements among some nodes bind."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name
                elif node.module and not node.level and node.module.partition(".")[0] in STARS:
                    yield from public_names(node.module)


def names_from(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """The names that import statements bind to a package, or to something in it."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == package:
                    yield alias.asname or package
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package and not node.level:
            yield from (alias.asname or alias.name for alias in node.names)


def root_name(node: ast.expr) -> str | None:
    """The name that an expression begins with: ``a`` of ``a.b(c).d``."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def compiled_names(nodes: Iterable[ast.AST], compilers: frozenset[str]) -> Iterator[str]:
    """The names of functions that are given to compilers, by ``@njit``, ``njit(f)`` or ``guvectorize(...)(f)``."""
    for node in nodes if compilers else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(root_name(decorator) in compilers for decorator in node.decorator_list):
                yield node.name
        elif isinstance(node, ast.Call) and root_name(node.func) in compilers:
            yield from (arg.id for arg in node.args if isinstance(arg, ast.Name))


def public_names(module: str) -> list[str]:
    """What ``from module import *`` binds."""
    found = sys.modules.get(module) or import_module(module)
    return list(getattr(found, "__all__", None) or [name for name in dir(found) if not name.startswith("_")])


def written_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names of arrays that are written to, by ``u[i] = v``, ``u += v`` and the like."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found: ast.expr = node.value
            while isinstance(found, ast.Subscript):
                found = found.value
            if isinstance(found, ast.Name):
                yield found.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.keyword) and node.arg == "out" and isinstance(node.value, ast.Name):
            yield node.value.id


def names_handed_on(nodes: Iterable[ast.AST], reading: frozenset[str]) -> Iterator[str]:
    """Names of what is returned, kept in an attribute, or given to functions but those that only read."""
    for node in nodes:
        keeps = isinstance(node, ast.Assign) and any(isinstance(target, ast.Attribute) for target in node.targets)
        if keeps or isinstance(node, (ast.Return, ast.Yield)):
            yield from shown_names(node.value)  # type: ignore[attr-defined]  # all three have one
        elif isinstance(node, ast.Call) and root_name(node.func) not in reading:
            for arg in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from shown_names(arg)


def shown_names(node: ast.expr | None) -> Iterator[str]:
    """The names of what an expression is, contains or shows a part of: ``u`` of ``(u[1:], 2)``."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    if isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from shown_names(part)
    elif isinstance(node, ast.Name):
        yield node.id


def variables(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Parameters, and names that are assigned to."""
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def whole_numbers(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names that are bound to Python's integers and to nothing else: by loops over ranges, to lengths and constants."""
    whole: set[str] = set()
    others: set[str] = set()
    for node in nodes:
        for name, is_integer in bindings(node):
            (whole if is_integer else others).add(name)
    return frozenset(whole - others)


def bindings(node: ast.AST) -> Iterable[Binding]:
    """The names that one node of a tree binds."""
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        return of_loop(node.target, node.iter)
    if isinstance(node, ast.Assign):
        return of_assignment(node)
    if isinstance(node, ast.AugAssign):
        keeps = is_whole(node.value) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult))
        return [(node.target.id, keeps)] if isinstance(node.target, ast.Name) else []
    if isinstance(node, (ast.NamedExpr, ast.AnnAssign)):
        return unknown([node.target])
    if isinstance(node, ast.withitem):
        return unknown([node.optional_vars] if node.optional_vars else [])
    if isinstance(node, ast.arg):
        return [(node.arg, False)]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return [(name, False) for name in node.names]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        return [(node.name, False)]
    return [(name, False) for name in imported_names((node,))] if isinstance(node, (ast.Import, ast.ImportFrom)) else []


def of_loop(target: ast.expr, over: ast.expr) -> Iterable[Binding]:
    """The names that a loop binds."""
    called = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else ""
    if called == "range" and isinstance(target, ast.Name):
        return [(target.id, True)]
    if called == "enumerate" and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        return [(target.elts[0].id, True), *unknown(target.elts[1:])]
    return unknown([target])


def of_assignment(node: ast.Assign) -> Iterator[Binding]:
    """The names that an assignment binds."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, is_whole(node.value)
        else:
            yield from unknown([target])


def unknown(targets: Iterable[ast.expr]) -> Iterator[Binding]:
    """Names of which it is not known what they are bound to."""
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, False


def is_whole(node: ast.expr) -> bool:
    """Whether an expression is a Python integer by its form."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
