from tests.standin.fixture import cupy

__all__ = ["cupy"]
