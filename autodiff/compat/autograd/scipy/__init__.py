"""SciPy's names, for plain and traced values alike: each module is loaded when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["integrate", "linalg", "signal", "special", "stats"]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"autograd.scipy has no module {name!r}; autodiff.scipy has more of them")
    return import_module(f"{__name__}.{name}")
