import sys

import pytest

from autodiff.backends import gpu
from tests.standin.fixture import cupy

__all__ = ["cupy", "no_cupy"]


@pytest.fixture
def no_cupy(monkeypatch):
    """A machine without CuPy."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    gpu.found.cache_clear()
    yield
    gpu.found.cache_clear()
