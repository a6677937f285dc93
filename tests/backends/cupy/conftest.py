"""Tests of what runs on GPU arrays use the stand-in for CuPy."""

from tests.standin.fixture import cupy

__all__ = ["cupy"]
