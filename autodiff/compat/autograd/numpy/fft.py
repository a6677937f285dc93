"""numpy.fft, whose functions ask traced values what to do."""

import numpy.fft as _own
from numpy.fft import *  # noqa: F403 - the whole namespace is NumPy's

__all__ = [name for name in dir(_own) if not name.startswith("_")]


def __getattr__(name: str) -> object:
    return getattr(_own, name)
