"""`python -m benchmarks.scipy.process LIBRARY PROGRAM PATH`: one program in a process of its own.

Ten values and gradients, at parameters that move, are timed; what they are goes to the path. Ours are then compared
with differences of SciPy's own values.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np

TURNS = 10
FOLDERS = {"autodiff": "unchanged", "jax": "by_jax"}
EAGER = frozenset(("ode_fit", "robot"))
"""Programs of which ours runs as it is, a loop of Python's with many steps; all others are compiled, as JAX's are."""


def points(program: str) -> list[Any]:
    """Parameters, each a little further than the one before."""
    first = import_module(f"benchmarks.scipy.unchanged.{program}").start()
    return [first * (1 + 0.002 * k) for k in range(TURNS)]


def gradients(library: str, program: str) -> Callable[[Any], Any]:
    """The function that gives value and gradient."""
    module = import_module(f"benchmarks.scipy.{FOLDERS[library]}.{program}")
    if library == "jax":
        jax = import_module("jax")
        jax.config.update("jax_enable_x64", True)
        compiled = jax.jit(jax.value_and_grad(module.loss))
        return lambda p: jax.block_until_ready(compiled(p))
    autodiff = import_module("autodiff")
    both = autodiff.value_and_grad(autodiff.differentiable(module).loss)
    return both if program in EAGER else autodiff.jit(both)


def differences(loss: Callable[[Any], Any], p: Any) -> Any:
    """The gradient by central differences of fourth order."""
    found = np.zeros(p.shape)
    for at in np.ndindex(p.shape):
        step = 1e-3 * max(1.0, abs(p[at]))
        values = []
        for k in (2, 1, -1, -2):
            moved = p.copy()
            moved[at] += k * step
            values.append(loss(moved))
        found[at] = (8 * (values[1] - values[2]) - (values[0] - values[3])) / (12 * step)
    return found


def check(program: str, gradient: Any, p: Any) -> None:
    """Compare a gradient with differences.

    Raises:
        AssertionError: if they are apart by more than a millionth of the largest.
    """
    expected = differences(import_module(f"benchmarks.scipy.unchanged.{program}").loss, p)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-6 * np.max(np.abs(expected)))


def main(library: str, program: str, path: str) -> None:
    """Run one program, keep what it found, say how long it took."""
    given = points(program)
    both = gradients(library, program)
    start = perf_counter()
    found = [both(p) for p in given]
    seconds = perf_counter() - start
    np.savez(path, value=[value for value, _ in found], gradient=[gradient for _, gradient in found])
    if library == "autodiff":
        check(program, found[0][1], given[0])
    print(json.dumps({"seconds": seconds, "version": version(library)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
