"""Programs and tests under compute-sanitizer: every access to memory is watched. The tools in order of worth."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from importlib import import_module
from itertools import product

from autodiff.testing.gpu.item import Given, Item, LeftOutError, Said, check
from autodiff.testing.gpu.stages import CHECKOUT, TESTS

sanitizer = import_module("benchmarks.gpu_contest.sanitizer")  # no part of an installed package
contestants = import_module("benchmarks.gpu_contest.contestants")

REFUSED = ("Device not supported", "Failed to initialize", "Unable to find injection library")
"""What the tool says where it cannot work at all."""
KEPT, REPORTED = 4000, 30
"""So many letters at the end of what is printed are kept, and so many lines of the tool's: the first ones say where a
kernel reached outside of its memory. Whatever fails later in that process follows from it."""

PROGRAMS = {
    "rows and totals": ("softmax", "sum over (0, 2)", "layer normalisation", "cross-entropy", "one number of many"),
    "indices and scans": ("gathered rows", "added at places", "cumulative sums", "taken along an axis"),
    "moving and elementwise": ("padded and tiled", "slices", "row and column", "random numbers", "a dense layer"),
}
FILES = ("test_grids.py", "test_cumulative.py", "test_indices.py", "test_windows.py", "test_precision.py")


def watched(tool: str, module: tuple[str, ...], given: Given) -> Said:
    """The last line that is printed, where the tool finds nothing and all results are right.

    Raises:
        FaultError: otherwise.
        LeftOutError: where the tool is not there, or refuses the device.
    """
    if given.standin:
        raise LeftOutError("watches a GPU, and there is none")
    program = sanitizer.sanitizer()
    if program is None:
        raise LeftOutError("compute-sanitizer is neither on the path nor in /usr/local/cuda, CUDA_HOME or CUDA_PATH")
    environment = {**os.environ, **contestants.settings(False, 0.9), "AUTODIFF_CUDA_GRAPHS": "0"}  # a graph has a pool
    done = subprocess.run(
        sanitizer.command(tool, program, module),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        env=environment,
        timeout=given.seconds,
    )
    text = done.stdout + done.stderr
    refused = [line for line in text.splitlines() if any(word in line for word in REFUSED)]
    if done.returncode and refused:
        raise LeftOutError(f"{tool} does not work on this machine: {refused[0].strip()}")
    reports = "\n".join([line for line in text.splitlines() if line.startswith("=========")][:REPORTED])
    check(done.returncode == 0, f"{sanitizer.said(done.returncode)}\n{reports}\n{text[-KEPT:]}")
    return (text.strip().splitlines() or [""])[-1]


def tests(file: str) -> tuple[str, ...]:
    """One file of tests on the device."""
    return (*sanitizer.PROGRAMS["tests of kernels"][:-1], f"{TESTS}/{file}")


def small(names: tuple[str, ...]) -> tuple[str, ...]:
    """Some of the small programs."""
    return (*sanitizer.PROGRAMS["small programs"], *names)


ITEMS: dict[str, Item] = {
    **{
        f"{tool}, {name}": partial(watched, tool, small(names))
        for tool, (name, names) in product(sanitizer.TOOLS, PROGRAMS.items())
    },
    **{f"{tool}, {file}": partial(watched, tool, tests(file)) for tool, file in product(sanitizer.TOOLS, FILES)},
}
