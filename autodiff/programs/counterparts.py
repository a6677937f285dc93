"""What stands for what a program has imported: names of NumPy, and modules, functions and distributions of SciPy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from autodiff.numpy.namespace import StandIn, enter
from autodiff.numpy.namespace import counterpart as of_numpy

LASTING = (ModuleType, FunctionType, BuiltinFunctionType, type)
"""Objects that stay as long as their module does: what is found for them is kept."""

OURS = frozenset((
    "cluster", "cluster.hierarchy", "cluster.vq", "constants", "datasets", "differentiate", "fft", "fftpack",
    "integrate", "interpolate", "io", "io.arff", "io.matlab", "io.wavfile", "linalg", "linalg.blas",
    "linalg.interpolative", "linalg.lapack", "ndimage", "odr", "optimize", "optimize.elementwise", "signal",
    "signal.windows", "sparse", "sparse.csgraph", "sparse.linalg", "spatial", "spatial.distance", "spatial.transform",
    "special", "stats", "stats.contingency", "stats.distributions", "stats.mstats", "stats.qmc", "stats.sampling",
))  # fmt: skip
"""SciPy's modules of which there is one of ours."""

ADOPTING = frozenset(("interpolate", "spatial.transform", "stats"))
"""Those that take objects which SciPy has made: interpolants, rotations, frozen distributions."""

FINDERS: dict[str, Callable[[Any], Any]] = {"numpy": of_numpy}
"""What finds the counterparts of what comes from a package; who enters a part of one enters it before the whole."""


def counterpart(value: Any) -> Any:
    """What stands for something of NumPy's or SciPy's; anything else as it is."""
    home = home_of(value)
    for root, find in FINDERS.items():
        if home == root or home.startswith(f"{root}."):
            return find(value)
    if home != "scipy" and not home.startswith("scipy."):
        return enter(value, value) if is_a(value, LASTING) else value
    if is_a(value, ModuleType):
        return enter(value, module_for(value))
    found = object_for(value, home)
    return enter(value, found) if is_a(value, LASTING) or found is not value else adopted(value, home)


def adopted(value: Any, home: str) -> Any:
    """An object that SciPy has made, as one of ours, where its module has such."""
    words = [word for word in home.split(".")[1:] if not word.startswith("_")]
    inside = ".".join(words[:2])
    if inside not in ADOPTING:
        return value
    return import_module(f"autodiff.scipy.{inside}").adopted(value)


def is_a(value: Any, kinds: Any) -> bool:
    """Whether an object is an instance of a class, not asked for its ``__class__``: lazy modules import to answer."""
    return issubclass(type(value), kinds)


def home_of(value: Any) -> str:
    """The module that an object comes from."""
    if is_a(value, ModuleType):
        return str(value.__name__)
    found = value if is_a(value, LASTING) else type(value)
    return str(getattr(found, "__module__", None) or "")


def module_for(module: ModuleType) -> ModuleType:
    """What stands for a module of SciPy's: one of ours, or its own names."""
    inside = module.__name__.partition(".")[2]
    if inside in OURS:
        return import_module(f"autodiff.scipy.{inside}")
    return module if inside else StandIn(module, counterpart)


def object_for(value: Any, home: str) -> Any:
    """What stands for a function, a class or a distribution."""
    words = [word for word in home.split(".")[1:] if not word.startswith("_")]
    called = getattr(value, "__name__", None) or getattr(value, "name", None)
    for inside in dict.fromkeys((".".join(words[:2]), *words[:1])):
        public = sys.modules.get(f"scipy.{inside}")
        if inside in OURS and isinstance(called, str) and getattr(public, called, None) is value:
            return getattr(import_module(f"autodiff.scipy.{inside}"), called)
    return value
