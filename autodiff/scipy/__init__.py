"""SciPy's modules by their names, for plain and traced values alike.

``from autodiff.scipy import stats, linalg`` in the place of ``from scipy import stats, linalg`` is all that a program
needs. With plain values each function is SciPy's own. With traced ones it is differentiated, or refused by name.
"""

from importlib import import_module
from typing import Any

MODULES = (
    "cluster", "constants", "datasets", "differentiate", "fft", "fftpack", "integrate", "interpolate", "io", "linalg",
    "ndimage", "odr", "optimize", "signal", "sparse", "spatial", "special", "stats",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"autodiff.scipy has no module {name!r}; it has {', '.join(MODULES)}")
    return import_module(f"autodiff.scipy.{name}")
