"""Programs as they are planned where Numba is installed; nothing is compiled by looking at them."""

import pytest


@pytest.fixture
def numba_is_taken_to_be_there(monkeypatch):
    monkeypatch.setattr("autodiff.backends.choice.numba_is_there", lambda: True)
