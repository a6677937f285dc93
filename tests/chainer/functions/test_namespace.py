"""The namespace: every name is there, and modules of the same names are where programs import them from."""

import importlib
import inspect

import pytest

import autodiff.chainer.functions as F


def test_every_name_can_be_called():
    assert len(F.__all__) == 216
    assert all(callable(getattr(F, name)) for name in F.__all__)


@pytest.mark.parametrize("package", ["activation", "evaluation", "loss", "math", "rnn"])
def test_names_in_a_package_are_its_modules(package):
    found = importlib.import_module(f"autodiff.chainer.functions.{package}")
    own = {name: value for name, value in vars(found).items() if not name.startswith("_")}
    assert own
    assert all(inspect.ismodule(value) for value in own.values())
