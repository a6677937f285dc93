"""Which backend runs programs."""

from __future__ import annotations

from importlib.util import find_spec

from autodiff.trace.source import at_user_line

BACKENDS = ("auto", "numba", "numpy", "cupy")


def numba_is_there() -> bool:
    """Whether Numba is installed; it is not imported."""
    return find_spec("numba") is not None


def checked_backend(name: str) -> str:
    """The name of a backend, if it can be used here.

    Args:
        name: ``"auto"`` for the compiler of where the arrays are: CUDA's for arrays of CuPy; for others Numba where it
            is installed, and NumPy's functions elsewhere. ``"numba"``, ``"numpy"``, ``"cupy"``.

    Raises:
        ValueError: if there is no backend of that name.
        ModuleNotFoundError: if it is Numba, which is not installed.
    """
    if name not in BACKENDS:
        raise ValueError(
            f"jit: there is no backend {name!r}{at_user_line()}; choose from {', '.join(map(repr, BACKENDS))}"
        )
    if name == "numba" and not numba_is_there():
        raise ModuleNotFoundError(
            f"jit: backend='numba' needs Numba, which is not installed{at_user_line()}: run pip install "
            "autodiff[numba], or take backend='auto', which runs NumPy's functions without it"
        )
    return name
