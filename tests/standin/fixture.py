"""The stand-in as a fixture of tests: ``cupy`` is importable, and autodiff finds it."""

import sys

import pytest

from autodiff.backends import gpu
from tests.standin import device
from tests.standin.module import build


@pytest.fixture
def cupy(monkeypatch):
    """A program's CuPy with two GPUs."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("cupy", "cupyx")]:
        monkeypatch.delitem(sys.modules, name)
    modules = build()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    gpu.found.cache_clear()
    device.set_device(0)
    yield modules["cupy"]
    device.set_device(0)
    gpu.found.cache_clear()
