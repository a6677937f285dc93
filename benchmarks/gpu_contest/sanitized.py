"""`python -m benchmarks.gpu_contest.sanitized [NAME ...]`: the small programs, and those of the tests of kernels, once.

Made to be run under compute-sanitizer. CuPy's pool of memory is off, since inside of a pool no access is out of bounds.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import autodiff
from autodiff.backends import gpu
from autodiff.backends.cupy.runtime import compiling
from benchmarks.contest.trees import leaves, mapped
from benchmarks.gpu_contest.checking import checked, distance
from benchmarks.gpu_programs.checks import CHECKS
from benchmarks.gpu_programs.program import doubled
from benchmarks.interpreter import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NO_GPU = 3
TESTS = Path("tests/backends/cupy")
TABLE = "PROGRAMS"
TOLERANCE = 1e-4
ROUNDED = {"float16": 2e-3, "bfloat16": 1.6e-2}  # two units of the last place, of what is stored with 16 bits


def of_tests() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Name, function and arguments of the programs in the tests of kernels."""
    for file in sorted((ROOT / TESTS).glob("test_*.py")):
        if f"\n{TABLE} = " in file.read_text():
            module = import_module(".".join((*TESTS.parts, file.stem)))
            for name, (function, *arguments) in getattr(module, TABLE).items():
                yield f"{file.stem}: {name}", (function, *arguments)


def right(cupy: Any, function: Callable[..., Any], *arguments: Any) -> float:
    """The error of a program of the tests, on the device against NumPy in double precision.

    Raises:
        ValueError: if it is large.
    """
    expected = leaves(function(*mapped(doubled, arguments)))
    found = leaves(autodiff.jit(function)(*mapped(cupy.asarray, arguments)))
    errors = [0.0]
    for one, other in zip(found, expected, strict=True):
        error, most = distance(wide(cupy.asnumpy(one)), wide(other)), ROUNDED.get(one.dtype.name, TOLERANCE)
        if not error <= most:
            raise ValueError(f"{one.dtype} is off by {error:.3g}, allowed {most:.3g}")
        errors.append(error)
    return max(errors)


def wide(array: Any) -> Any:
    """In double precision."""
    return np.asarray(array).astype(np.float64)


def made() -> int:
    """How many modules of kernels this process has compiled or found on disk."""
    return compiling.counts["compiled"] + compiling.counts["hits"]


def main(only: list[str]) -> int:
    """Run all programs whose names contain one of the texts; 1 where one failed, 3 without a GPU."""
    cupy, reason = gpu.found()
    if cupy is None:
        print(f"nothing ran: CuPy has no GPU here: {reason}")
        return NO_GPU
    programs: dict[str, Callable[[], float]] = {
        name: lambda name=name: checked(cupy, name, "jit")  # type: ignore[misc]
        for name in CHECKS
    }
    programs.update(
        {name: lambda given=given: right(cupy, *given) for name, given in of_tests()}  # type: ignore[misc]
    )
    chosen = [name for name in programs if not only or any(text in name for text in only)]
    bad, before = 0, made()
    with cupy.cuda.using_allocator(None):  # each array is an allocation of its own
        for name in chosen:
            try:
                programs[name]()
            except Exception as error:  # the others run nevertheless
                bad += 1
                print(f"{name}: {type(error).__name__}: {error}")
    modules = made() - before
    print(f"{len(chosen)} programs ran as {modules} modules of kernels; {len(chosen) - bad} are right")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
