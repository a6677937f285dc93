"""``int(x)`` and ``float(x)`` of arrays of one element, which are numbers to old programs and none to NumPy 2.4.

Nobody is asked by ``int``, so the program, and libraries that were written for Chainer, are compiled with calls of
:func:`number` in their place. In the same way they call former functions of NumPy and Python.
"""

from __future__ import annotations

import ast
import builtins
import io
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any

import numpy as np

from autodiff.chainer.running import former_functions
from autodiff.programs.importing import Finder
from autodiff.trace.source import NEVER, PYTHONS, USERS, owner
from autodiff.trace.syntax import parse

KINDS = ("int", "float", "complex")
NAME = "__autodiff_number__"


def number(kind: Any, value: Any) -> Any:
    """What a kind of numbers makes of a value, be it an array of one element.

    >>> number(int, np.array([3])), number(float, "1.5")
    (3, 1.5)
    """
    one = isinstance(value, np.ndarray) and value.ndim > 0 and value.size == 1
    return kind(value.item() if one and kind in (int, float, complex) else value)


class Calls(ast.NodeTransformer):
    """Puts :func:`number` in the place of calls ``int(x)``, ``float(x)`` and ``complex(x)``.

    Functions whose names former functions have are asked for what they stand for.
    """

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name in former_functions.NAMES:
            asked = ast.copy_location(ast.Name(former_functions.NAME, ast.Load()), node.func)
            chosen = ast.copy_location(ast.Call(asked, [node.func], []), node.func)
            return ast.copy_location(ast.Call(chosen, node.args, node.keywords), node)
        if not isinstance(node.func, ast.Name) or node.func.id not in KINDS or len(node.args) != 1 or node.keywords:
            return node
        if isinstance(node.args[0], ast.Starred):
            return node
        asked = ast.copy_location(ast.Name(NAME, ast.Load()), node.func)
        return ast.copy_location(ast.Call(asked, [node.func, node.args[0]], []), node)


def compiled_with_calls(file: str) -> CodeType:
    """The code in a file, as old programs mean it."""
    with io.open_code(file) as opened:
        tree = parse(opened.read(), file)
    return compile(Calls().visit(tree), file, "exec", dont_inherit=True)


class CallingLoader(SourceFileLoader):
    """Loads a module as old programs mean it; compiled files are neither read nor written."""

    def get_code(self, fullname: str) -> CodeType:
        return compiled_with_calls(self.get_filename(fullname))


class OldModules(Finder):
    """The modules beside the program, and those of libraries that speak of Chainer, as old programs mean them.

    Attributes:
        folders: where modules of the user's own lie, each with a separator behind it.
    """

    loader = CallingLoader

    def __init__(self) -> None:
        self.folders: set[str] = set()

    def wants(self, spec: ModuleSpec) -> bool:
        origin = os.path.abspath(spec.origin or "")
        if owner(origin) in (NEVER, PYTHONS):
            return False
        return (owner(origin) is USERS and origin.startswith(tuple(self.folders))) or speaks_of_chainer(origin)


def speaks_of_chainer(file: str) -> bool:
    """Whether the text in a file has Chainer's name."""
    with io.open_code(file) as opened:
        return b"chainer" in opened.read()


MODULES = OldModules()


def install(folder: str | None = None) -> None:
    """Load such modules so, in this process; those in the folder among them."""
    setattr(builtins, former_functions.NAME, former_functions.former)
    setattr(builtins, NAME, number)  # found from every module, and by no name that a program would have
    if folder is not None:
        MODULES.folders.add(folder + os.sep)
    if MODULES not in sys.meta_path:
        sys.meta_path.insert(0, MODULES)
