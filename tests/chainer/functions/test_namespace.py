"""The namespace: every name is there, and what is not implemented says so."""

from __future__ import annotations

import pytest

import autodiff.chainer.functions as F
from autodiff.chainer.functions import missing


def test_every_name_can_be_called() -> None:
    assert len(F.__all__) == 216
    assert all(callable(getattr(F, name)) for name in F.__all__)


def test_what_is_missing_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"^chainer\.functions\.some is not implemented in autodiff"):
        missing.missing("some")(1, key=2)
