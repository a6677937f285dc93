"""scipy.linalg for plain and traced values alike."""

import scipy.linalg as _scipy

import autodiff.scipy.linalg as _own

__all__ = [name for name in dir(_scipy) if not name.startswith("_")]


def __getattr__(name: str) -> object:
    return getattr(_own, name)
