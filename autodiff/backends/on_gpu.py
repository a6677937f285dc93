"""Operations that are calls of the GPU's backend on arrays of CuPy.

They are found when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from autodiff.ops import random, shape  # noqa: F401
from autodiff.ops.images import convolution  # noqa: F401
from autodiff.ops.matrices import (  # noqa: F401
    decompositions,
    einsum,
    least_squares,
    products,
    singular,
    solve,
    spectral,
)
from autodiff.trace.primitive import PRIMITIVES

FOLDER = "autodiff.backends.cupy"
NAMES = {
    "libraries.products": ("matmul", "linear_map", "matvec", "dot", "einsum"),
    "libraries.convolutions": ("convolve_nd", "convolve_to_input", "convolve_to_kernel"),
    "libraries.linear_algebra": (
        "solve", "inv", "cholesky", "qr", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "pinv", "lstsq",
    ),
    "drawing": ("random_numbers",),
    "libraries.copies": ("reshape",),
}  # fmt: skip
"""For each module the primitives that it evaluates."""


def later(module: str, name: str) -> Callable[..., Any]:
    """An evaluator that a module has, which is imported with its first call."""

    def evaluate(*operands: Any, **params: Any) -> Any:
        found: Callable[..., Any] = import_module(f"{FOLDER}.{module}").EVALUATORS[name]
        PRIMITIVES[name].on_gpu = found
        return found(*operands, **params)

    return evaluate


def enter() -> None:
    """Give primitives their evaluators on GPUs."""
    for module, names in NAMES.items():
        for name in names:
            PRIMITIVES[name].on_gpu = later(module, name)


enter()
