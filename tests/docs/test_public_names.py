"""Every public name has a docstring, an example, a page and a test."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from importlib import import_module

import pytest

from docs.building.groups import GROUPS, group_of
from docs.building.public_names import (
    PublicName,
    chainer_names,
    code_of_session,
    names_of,
    names_used,
    public_modules,
    public_names,
)
from docs.building.reference import assumed_modules, cells_of

NAMES = [pytest.param(name, id=f"{name.module}.{name.name}") for name in public_names()]
ALL = [name for name in [*public_names(), *chainer_names()] if ">>>" in name.docstring and name.kind != "data"]
"""A module that is a name has a page of its own, which has its names."""
IMPORTED = re.compile(r"^\s*(?:from|import) (autodiff[\w.]*)", re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_public_name(name):
    """The row of the page of all names has no blank."""
    _, says, page, example, test = cells_of(name)
    assert says, "it needs a docstring; a constant a text below its definition"
    first = (inspect.getdoc(type(name.value)) or "").partition("\n")[0]
    assert says != first, "that is what its type says of itself"
    assert page
    assert example, "it needs an example in its docstring or on a page"
    assert test, "no test names it"


def test_public_members_have_docstrings():
    """What a class shows is documented too."""
    classes = [name for name in public_names() if name.kind == "class"]
    members = {f"{of.module}.{of.name}.{name}": value for of in classes for name, value in vars(of.value).items()}
    written = {name: value for name, value in members.items() if is_written(name, value)}
    assert len(written) > 100
    assert [name for name, value in written.items() if not inspect.getdoc(value)] == []


def is_written(name: str, value: object) -> bool:
    """Whether a member of a class is public, and a property or function of ours."""
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    ours = (getattr(function, "__module__", None) or "").startswith("autodiff")
    return ours and callable(function) and not name.rpartition(".")[2].startswith("_")


def test_modules_and_names_are_found():
    assert {"autodiff", "autodiff.random", "autodiff.testing", "autodiff.scipy.linalg"} <= set(public_modules())
    names = {(name.module, name.name) for name in public_names()}
    assert {("autodiff", "grad"), ("autodiff", "map"), ("autodiff.random", "dropout")} <= names
    assert not [name for name in public_names() if name.name.startswith("_")]


def test_a_page_is_an_example_of_what_it_uses():
    code = "import numpy as np\nfrom autodiff import optimize as o\nfrom autodiff.tree import map\n"
    assert names_used(code + "np.linalg.inv(o.sgd(map))\ntrace = newton(x.fit)") == {
        "numpy",
        "numpy.linalg",
        "numpy.linalg.inv",
        "autodiff.optimize",
        "autodiff.optimize.sgd",
        "autodiff.tree.map",
    }


def test_groups_name_what_is_there():
    grouped = [name for _, names in GROUPS.values() for name in names.split()]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= {name.name for name in public_names() if name.module == "autodiff"}


def test_examples_import_what_the_page_does_not_say_that_they_have():
    """Somebody copies an example from a page of the reference: it runs with NumPy and the names of that page."""
    missing = {f"{name.module}.{name.name}": sorted(used_but_unknown(name)) for name in ALL}
    assert {name: words for name, words in missing.items() if words} == {}


def test_examples_import_public_modules_alone():
    """What an example shows is what people write."""
    public = {*public_modules(), *(name.module for name in ALL), "autodiff.scipy", "autodiff.numpy", "autodiff.einops"}
    imports = {f"{name.module}.{name.name}": set(IMPORTED.findall(example_of(name))) - public for name in ALL}
    assert {name: modules for name, modules in imports.items() if modules} == {}


def example_of(name: PublicName) -> str:
    """The code of a docstring's examples."""
    return code_of_session(name.docstring)


def used_but_unknown(name: PublicName) -> set[str]:
    """The words of a docstring's examples that nothing defines: neither they, nor Python, nor what the page says."""
    nodes = list(ast.walk(ast.parse(example_of(name))))
    words = {node.id for node in nodes if isinstance(node, ast.Name)}
    own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {(node.asname or node.name).partition(".")[0] for node in nodes if isinstance(node, ast.alias)}
    own |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    assumed = {word for module in assumed_modules(group_of(name)) for word in names_of(import_module(module))}
    return words - own - assumed - set(dir(builtins)) - {"np", "_"}
