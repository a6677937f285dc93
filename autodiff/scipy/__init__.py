"""SciPy's modules by their names, for plain and traced values alike.

``from autodiff.scipy import stats, linalg`` in the place of ``from scipy import stats, linalg`` is all that a program
needs. With plain values each function is SciPy's own. With traced ones it is differentiated, or refused by name.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from autodiff.scipy.mirror import mirrored

MODULES = (
    "cluster", "constants", "datasets", "differentiate", "fft", "fftpack", "integrate", "interpolate", "io", "linalg",
    "ndimage", "odr", "optimize", "signal", "sparse", "spatial", "special", "stats",
)  # fmt: skip

REFUSING = (
    "cluster.hierarchy", "datasets", "io", "io.arff", "io.matlab", "io.wavfile", "linalg.blas", "linalg.lapack", "odr",
    "stats.mstats",
)  # fmt: skip
"""Modules without files here: their functions are SciPy's own, which refuse traced values by name."""


def refusing_module(path: str) -> ModuleType:
    """What stands for such a module."""
    own = ModuleType(f"autodiff.{path}", f"{path}: SciPy's own, which refuse traced values by name.")
    own.__spec__ = ModuleSpec(own.__name__, None)
    own.__dict__["__getattr__"] = mirrored(path)
    return own


sys.modules.update({f"autodiff.scipy.{name}": refusing_module(f"scipy.{name}") for name in REFUSING})


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"autodiff.scipy has no module {name!r}; it has {', '.join(MODULES)}")
    return import_module(f"autodiff.scipy.{name}")
