"""Chainer's namespace, name by name, and its classes, attribute by attribute."""

from __future__ import annotations

import inspect
from collections import abc

import numpy as np
import pytest

import autodiff.chainer as chainer
from tests.chainer.coverage import PAGE, differences, page, status
from tests.chainer.left_out import ATTRIBUTES_LEFT_OUT, LEFT_OUT, reason, reason_of_attribute
from tests.chainer.names import CLASSES, MODULES, attributes, has_own_gradient, names

NAMES = names()


def test_the_record_is_whole():
    assert (len(MODULES), len(CLASSES), len(NAMES)) == (434, 595, 2636)
    assert sum(len(attributes(place)) for place in CLASSES) == 14061


def test_every_name_is_there_or_left_out_with_a_reason():
    assert [name.path for name in NAMES if status(name) == "missing"] == []


def test_every_attribute_is_there_or_left_out_with_a_reason():
    differing = [name for name in NAMES if status(name) == "differs" and not has_own_gradient(name.place)]
    texts = {text for name in differing for text in differences(name)}
    missing = [text.split("`")[1] for text in texts if text.endswith("missing")]
    assert [path for path in missing if reason_of_attribute(path) is None] == []


@pytest.mark.parametrize("pattern", [*LEFT_OUT, *ATTRIBUTES_LEFT_OUT])
def test_every_reason_is_needed(pattern):
    """What is there by now leaves the table of what is not."""
    why = {**LEFT_OUT, **ATTRIBUTES_LEFT_OUT}[pattern]
    if pattern in LEFT_OUT:
        assert any(status(name) == "left out" and reason(name) == why for name in NAMES)
    else:
        assert why in page()


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.name and status(name) == "refused"], ids=lambda name: name.path
)
def test_what_is_not_implemented_says_its_name(name):
    with pytest.raises(NotImplementedError, match=name.name):
        name.object(
            *(None for each in inspect.signature(name.object).parameters.values() if each.default is each.empty)
        )


def test_the_configuration_has_chainers_entries():
    entries = attributes("chainer.configuration.GlobalConfig")
    assert [name for name in entries if not hasattr(chainer.global_config, name)] == []


def test_what_libraries_use_beside_the_public_names():
    """ChainerCV, ChainerRL and Chainer Chemistry do."""
    assert chainer.utils.collections_abc.Iterable is abc.Iterable
    assert chainer._get_link_hooks() == {}
    assert chainer.dataset.convert._concat_arrays([np.ones(2)] * 3, None).shape == (3, 2)
    assert chainer.dataset.convert._concat_arrays_with_padding([np.ones(2), np.ones(1)], 0).shape == (2, 2)


def test_modules_are_attributes_of_the_package():
    assert inspect.ismodule(chainer.basic_math)
    assert chainer.array is chainer.functions.array
    with pytest.raises(AttributeError, match=r"^module 'autodiff\.chainer' has no attribute 'nonsense'$"):
        chainer.nonsense  # noqa: B018


def test_the_page_is_up_to_date():
    assert page() == PAGE.read_text(), "run python -m tests.chainer.coverage"
