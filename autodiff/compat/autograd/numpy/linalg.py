"""numpy.linalg, whose functions take traced values, in lists too."""

from __future__ import annotations

import numpy.linalg as _own

from autodiff.compat.autograd.numpy.numpy_wrapper import counterpart

__all__ = [name for name in dir(_own) if not name.startswith("_")]

globals().update({name: counterpart(getattr(_own, name)) for name in __all__})


def __getattr__(name: str) -> object:
    return getattr(_own, name)
