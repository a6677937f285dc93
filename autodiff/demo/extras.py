"""The packages that only the demo needs. They are imported when it runs, not when it is asked for help."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PACKAGES = {"sklearn": "scikit-learn", "matplotlib": "matplotlib", "tqdm": "tqdm"}


class MissingPackagesError(Exception):
    """Some packages are not installed; the text says how to get them."""


def require() -> None:
    """Import every package. Raises MissingPackagesError naming all that are not there."""
    missing = [distribution for name, distribution in PACKAGES.items() if not is_there(name)]
    if missing:
        raise MissingPackagesError(f"the demo needs {', '.join(missing)}: pip install 'autodiff[demo]'")


def is_there(name: str) -> bool:
    """The package can be imported."""
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def module(name: str) -> Any:
    """The module of that name; of type Any because not all of them ship types."""
    return import_module(name)
