"""Kernels of the laws work, and return what they return, between pages that nobody may touch."""

import os

import pytest

from autodiff.trace.memory import aligned as room
from autodiff.trace.memory import recycling


@pytest.fixture(autouse=os.name == "posix")
def guard_memory(monkeypatch):
    monkeypatch.setattr(room, "GUARDED", True)
    monkeypatch.setattr(recycling, "GUARDED", True)
