"""Every public name has a docstring, an example, a page and a test."""

from __future__ import annotations

import pytest

from docs.building.groups import GROUPS
from docs.building.public_names import public_modules, public_names
from docs.building.reference import cells_of

NAMES = [pytest.param(name, id=f"{name.module}.{name.name}") for name in public_names()]


@pytest.mark.parametrize("name", NAMES)
def test_public_name(name):
    """The row of the page of all names has no blank."""
    _, says, page, example, test = cells_of(name)
    assert says, "it needs a docstring; a constant a text below its definition"
    assert page
    assert example, "it needs an example in its docstring or on a page"
    assert test, "no test names it"


def test_modules_and_names_are_found():
    assert {"autodiff", "autodiff.random", "autodiff.testing", "autodiff.scipy.linalg"} <= set(public_modules())
    names = {(name.module, name.name) for name in public_names()}
    assert {("autodiff", "grad"), ("autodiff", "map"), ("autodiff.random", "dropout")} <= names
    assert not [name for name in public_names() if name.name.startswith("_")]


def test_groups_name_what_is_there():
    grouped = [name for _, names in GROUPS.values() for name in names.split()]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= {name.name for name in public_names() if name.module == "autodiff"}
