"""Every public name has a docstring, an example, a page and a test."""

from __future__ import annotations

import re
from functools import cache

import pytest

from docs.building.groups import GROUPS, group_of
from docs.building.public_names import public_modules, public_names, words_of_tests
from tests.docs.pages import pages, snippets

NAMES = [pytest.param(name, id=f"{name.module}.{name.name}") for name in public_names()]


@cache
def words_of_pages() -> set[str]:
    """All words of the code on all pages."""
    code = [snippet.code for path in pages() for snippet in snippets(path) if snippet.language == "python"]
    return set(re.findall(r"\w+", "\n".join(code)))


@pytest.mark.parametrize("name", NAMES)
def test_public_name(name):
    if name.kind != "data":
        assert name.docstring, "it needs a docstring"
    assert ">>>" in name.docstring or name.name in words_of_pages(), "it needs an example in its docstring or on a page"
    assert group_of(name)
    assert words_of_tests().get(name.name, 0) > 0, "no test names it"


def test_modules_and_names_are_found():
    assert {"autodiff", "autodiff.random", "autodiff.testing", "autodiff.scipy.linalg"} <= set(public_modules())
    names = {(name.module, name.name) for name in public_names()}
    assert {("autodiff", "grad"), ("autodiff", "map"), ("autodiff.random", "dropout")} <= names
    assert not [name for name in public_names() if name.name.startswith("_")]


def test_groups_name_what_is_there():
    grouped = [name for _, names in GROUPS.values() for name in names.split()]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= {name.name for name in public_names() if name.module == "autodiff"}
