"""Programs as they are planned where Numba is installed; nothing is compiled by looking at them."""

import pytest


@pytest.fixture
def numba_is_taken_to_be_there(monkeypatch):
    for module in ("passes.schedule", "reports.plan"):
        monkeypatch.setattr(f"autodiff.backends.{module}.numba_is_there", lambda: True)
