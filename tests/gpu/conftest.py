"""Tests on GPU arrays run with the stand-in for CuPy."""

from tests.standin.fixture import cupy

__all__ = ["cupy"]
