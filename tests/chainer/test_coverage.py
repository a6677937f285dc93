"""Chainer's namespace, name by name."""

from __future__ import annotations

import pytest

from tests.chainer.coverage import PAGE, inventory, page, status

NAMES = inventory()


def test_the_inventory_is_whole():
    assert len(NAMES) == 692


def test_every_name_is_there():
    assert [f"{name.module}.{name.name}" for name in NAMES if status(name) == "missing"] == []


def test_every_name_that_programs_use_is_implemented():
    used = [name for name in NAMES if name.used]
    assert len(used) > 150
    unfit = [f"{name.module}.{name.name}" for name in used if status(name) in ("missing", "refused")]
    assert unfit == ["chainer.iterators.DaliIterator"]


@pytest.mark.parametrize(
    "name", [name for name in NAMES if status(name) == "refused"], ids=lambda name: f"{name.module}.{name.name}"
)
def test_what_is_not_implemented_says_its_name(name):
    with pytest.raises(NotImplementedError, match=name.name):
        name.object(None, None)


def test_the_page_is_up_to_date():
    assert page() == PAGE.read_text(), "run python -m tests.chainer.coverage"
