import importlib.util
import pathlib
import sys

import pytest

from autodiff.backends import gpu

FAKE = importlib.util.spec_from_file_location("fake_cupy", pathlib.Path(__file__).with_name("fake_cupy.py"))


@pytest.fixture
def cupy(monkeypatch):
    """A program's CuPy with two GPUs."""
    fake = importlib.util.module_from_spec(FAKE)
    FAKE.loader.exec_module(fake)
    module = fake.module()
    monkeypatch.setitem(sys.modules, "cupy", module)
    gpu.found.cache_clear()
    yield module
    gpu.found.cache_clear()


@pytest.fixture
def no_cupy(monkeypatch):
    """A machine without CuPy."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    gpu.found.cache_clear()
    yield
    gpu.found.cache_clear()
