"""The syntax tree of a module with calls of ours in it, where a traced value could be lost.

What is replaced keeps its lines and columns:

- a name that an import binds, ``np``, by ``__autodiff_name__(np)``: what stands for a module or a function of NumPy's;
- what is called, where it is one of few types and functions of Python's, ``float(x)``, or a type of NumPy's,
  ``np.float64(x)``, by ``__autodiff_callee__(float)(x)``; and what a variable, an attribute or a container holds that
  could be one, or a function of SciPy's, ``dtype(x)``, ``self.transform(x)``;
- ``x[i]``, where the index could be traced, by ``__autodiff_item__(x, i)``; and the values behind a text and ``%`` by
  ``__autodiff_shown__(values)``;
- methods of random generators, ``rng.normal(m, s)``, by ``__autodiff_draw__(rng.normal)(m, s)``;
- what is compared by ``is`` with something of an imported module, ``ufunc is np.add``, by what it stands for:
  ``__autodiff_original__(ufunc) is __autodiff_original__(np.add)``;
- ``x.__class__`` by ``__autodiff_kind__(x)``, and classes in the patterns of ``match``
  (:mod:`autodiff.programs.matching`);
- what is assigned to a name that is written to later, ``u = a * b``, by ``__autodiff_own__(a * b)``, and what such
  functions return by ``__autodiff_result__(u)``;
- new arrays that others may write to, because they are returned, given to a function or kept in an attribute,
  ``return a * b``, by ``__autodiff_fresh__(a * b)``.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

import numpy as np

from autodiff.programs.bindings import (
    compiled_names,
    imported_names,
    names_from,
    names_handed_on,
    root_name,
    variables,
    whole_numbers,
    written_names,
)
from autodiff.programs.matching import Classes

NAME, CALLEE, ITEM, SHOWN, OWN, FRESH, RESULT, DRAW, KIND, ORIGINAL = (
    f"__autodiff_{word}__"
    for word in ("name", "callee", "item", "shown", "own", "fresh", "result", "draw", "kind", "original")
)

BUILTINS = frozenset(("complex", "float", "getattr", "hasattr", "isinstance", "map", "max", "min", "type"))
"""What Python calls without asking its argument, or what would be refused."""

SCALARS = frozenset((
    "float16", "float32", "float64", "longdouble", "half", "single", "double", "complex64", "complex128", "clongdouble",
    "csingle", "cdouble",
))  # fmt: skip
"""The types of NumPy's numbers that are called as functions."""

HELD = frozenset(("dtype", "type"))
"""Attributes that hold such a type, as in ``x.dtype.type(1.0)``."""

ARRAYS = frozenset(("ndarray", "__new__", "__array__"))
"""What makes NumPy's arrays and objects of classes derived from them, and what asks an object for its array."""

DRAWN = frozenset((
    "beta", "binomial", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma", "geometric", "gumbel",
    "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal",
    "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation", "permuted",
    "poisson", "power", "rand", "randn", "random", "random_sample", "rayleigh", "shuffle", "standard_exponential",
    "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
))  # fmt: skip
"""Methods of random generators that take parameters, or make arrays of floats."""

NEW_ARRAY = frozenset((
    "astype", "clip", "conj", "copy", "cumprod", "cumsum", "dot", "flatten", "max", "mean", "min", "prod", "repeat",
    "round", "sum", "take",
))  # fmt: skip
"""Methods of arrays whose result is a new array."""

FILLED = frozenset((
    "arange", "array", "copy", "empty", "empty_like", "eye", "full", "full_like", "identity", "linspace", "ones",
    "ones_like", "zeros", "zeros_like",
))  # fmt: skip
"""Functions of NumPy that make arrays which programs fill."""


METHODS = frozenset(name for kind in (np.ndarray, dict, list, set, str) for name in dir(kind))
"""Attributes of arrays and containers."""

SHOWING = frozenset(("T", "flat", "imag", "ravel", "real", "reshape", "swapaxes", "transpose"))
"""Attributes of arrays that show their memory."""

READING = frozenset(dir(builtins))
"""What is called by these names writes to no array."""

LIBRARIES = ("numpy", "math", "cmath", "scipy")
"""What comes from these packages writes to no array but ``out=``."""


def rewritten(tree: ast.Module, bound: frozenset[str] = frozenset()) -> ast.Module:
    """The tree with calls in it.

    Args:
        tree: of a module; it is changed.
        bound: names that stand for something of NumPy's, besides those that the module imports.
    """
    nodes = list(ast.walk(tree))
    compiled = frozenset(compiled_names(nodes, frozenset(names_from(nodes, "numba"))))
    libraries = frozenset(name for library in LIBRARIES for name in names_from(nodes, library))
    rewriter = Rewriter(frozenset(imported_names(nodes)) | bound, whole_numbers(nodes), compiled, libraries)
    return ast.fix_missing_locations(rewriter.visit(tree))  # type: ignore[no-any-return]


class Rewriter(ast.NodeTransformer):
    """Puts the calls in.

    Args:
        names: names that may stand for something of NumPy's.
        whole: names that stand for integers.
        compiled: names of functions that Numba compiles, which stay as they are.
        libraries: names of what comes from libraries that write to no array.
    """

    def __init__(
        self, names: frozenset[str], whole: frozenset[str], compiled: frozenset[str], libraries: frozenset[str]
    ) -> None:
        self.names = names
        self.whole = whole
        self.compiled = compiled
        self.reading = libraries | READING
        self.handed_on: frozenset[str] = frozenset()
        self.written: frozenset[str] = frozenset()
        self.local: frozenset[str] = frozenset()

    def visit_scope(self, node: Any) -> Any:
        if node.name in self.compiled:
            return node
        before, outside, inside = (self.written, self.handed_on), self.local, list(ast.walk(node))
        self.written, self.local = frozenset(written_names(inside)), outside | frozenset(variables(inside))
        self.handed_on = frozenset(names_handed_on(inside, self.reading))
        for field in ("annotation", "returns"):
            kept = getattr(node, field, None)
            if kept is not None:
                setattr(node, field, None)
                self.generic_visit(node)
                setattr(node, field, kept)
                break
        else:
            self.generic_visit(node)
        (self.written, self.handed_on), self.local = before, outside
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_scope

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node  # annotations stay

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.owned(node.target, node.value)
        node.target = self.visit(node.target)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> Any:
        return node  # a pattern is no expression

    visit_MatchClass = visit_MatchMapping = visit_MatchValue  # type: ignore[assignment]

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Load) and node.id in self.names:
            return called(NAME, node)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        special = (
            self.may_be_function(node.func)
            or (isinstance(node.func, ast.Name) and node.func.id in BUILTINS | self.names | self.local)
            or (isinstance(node.func, ast.Attribute) and node.func.attr in SCALARS | HELD | ARRAYS)
        )
        pass_on = self.visit if root_name(node.func) in self.reading else self.fresh
        plain = isinstance(node.func, ast.Name)
        func = node.func if plain else self.visit(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr in DRAWN:
            func = called(DRAW, func)
        node.func = called(CALLEE, func) if special else func
        node.args = [pass_on(arg) for arg in node.args]
        for keyword in node.keywords:
            keyword.value = pass_on(keyword.value)
        return node

    def may_be_function(self, node: ast.expr) -> bool:
        """Whether an attribute or an element may hold a library's function, by its form; no method of arrays is one."""
        if isinstance(node, ast.Attribute):
            root = root_name(node)
            return node.attr not in METHODS and (root not in self.names or self.is_of_sparse(node.attr, root))
        return isinstance(node, (ast.Subscript, ast.Call))

    def is_of_sparse(self, attribute: str, root: str | None) -> bool:
        """Whether it may be a method of a sparse matrix that has a global name, and none of a module's functions."""
        return attribute == "multiply" and root not in self.reading

    def visit_match_case(self, node: ast.match_case) -> Any:
        classes = Classes(self.names)
        node.pattern = classes.without(node.pattern)  # type: ignore[assignment]
        if classes.conditions:
            conditions = [*classes.conditions, *([node.guard] if node.guard else [])]
            node.guard = conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        node.value = self.fresh(node.value) if node.attr in SHOWING else self.visit(node.value)
        is_class = node.attr == "__class__" and isinstance(node.ctx, ast.Load)
        return called(KIND, node.value) if is_class else node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        node.value, node.slice = self.fresh(node.value), self.visit(node.slice)
        if isinstance(node.ctx, ast.Load) and not self.is_plain_index(node.slice):
            return called(ITEM, node.value, node.slice, at=node)
        return node

    def is_plain_index(self, node: ast.AST) -> bool:
        """Whether an index is known to be no traced value by its form."""
        if isinstance(node, ast.Name):
            return node.id in self.whole
        if isinstance(node, (ast.Tuple, ast.Slice, ast.BinOp, ast.UnaryOp)):
            children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
            return all(map(self.is_plain_index, children))
        return isinstance(node, ast.Constant)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            return called(SHOWN, node.left, node.right)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        identical = all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
        asked = identical and any(map(self.is_imported, (node.left, *node.comparators)))
        self.generic_visit(node)
        if asked:
            node.left = called(ORIGINAL, node.left)
            node.comparators = [called(ORIGINAL, each) for each in node.comparators]
        return node

    def is_imported(self, node: ast.expr) -> bool:
        """Whether an expression is something of an imported module by its form, as ``np.linalg.norm`` is."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.names

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.owned(node.targets[0], node.value) if len(node.targets) == 1 else self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.args, node.body = self.visit(node.args), self.fresh(node.body)
        return node

    def visit_Return(self, node: ast.Return | ast.Yield) -> Any:
        if node.value is not None:
            node.value = self.fresh(node.value)
        if not self.written or node.value is None:
            return node
        if isinstance(node.value, ast.Tuple):
            node.value.elts = [
                part if isinstance(part, ast.Starred) else called(RESULT, part) for part in node.value.elts
            ]
        else:
            node.value = called(RESULT, node.value)
        return node

    visit_Yield = visit_Return

    def owned(self, target: ast.expr, value: ast.expr) -> Any:
        """The value of an assignment: a new array, as one that can be written to, if the name is written to later."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            value.elts = [self.owned(*pair) for pair in zip(target.elts, value.elts)]
            return value
        if isinstance(target, ast.Name) and target.id in self.written and self.is_new(value):
            return called(OWN, self.visit(value))
        kept = isinstance(target, ast.Attribute) or (isinstance(target, ast.Name) and target.id in self.handed_on)
        return self.fresh(value) if kept else self.visit(value)

    def fresh(self, node: ast.expr) -> Any:
        """An expression whose value others may write to: if it is a new array, as one that can be written to."""
        if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            node.elts = [self.fresh(part) for part in node.elts]
            return node
        if isinstance(node, ast.IfExp):
            node.test, node.body, node.orelse = self.visit(node.test), self.fresh(node.body), self.fresh(node.orelse)
            return node
        is_text = (
            isinstance(node, ast.BinOp)
            and isinstance(node.left, (ast.Constant, ast.JoinedStr))
            and (not isinstance(node.left, ast.Constant) or isinstance(node.left.value, str))
        )
        new = not is_text and not self.is_plain_index(node) and self.is_new(node)
        found = self.visit(node)
        return called(FRESH, found) if new else found

    def is_new(self, node: ast.expr) -> bool:
        """Whether the value of an expression is nobody else's by its form, if it is an array with its own memory."""
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in self.names & FILLED
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return False
        root: ast.expr = node.func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        imported = isinstance(root, ast.Name) and root.id in self.names
        return node.func.attr in (FILLED if imported else NEW_ARRAY)


def called(name: str, *args: ast.expr, at: ast.AST | None = None) -> ast.Call:
    """A call of one of ours, at the place of what it is called with."""
    place = at or args[0]
    function = ast.copy_location(ast.Name(name, ast.Load()), place)
    return ast.copy_location(ast.Call(function, list(args), []), place)
