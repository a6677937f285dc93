"""`--sanitize`: kernels on a GPU under compute-sanitizer, which watches every access to memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.gpu_contest.contestants import settings
from benchmarks.interpreter import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS = ("memcheck", "racecheck", "synccheck")
FOUND = 86  # the status that the sanitizer ends with where it found something
PROGRAMS = {
    "small programs": ("benchmarks.gpu_contest.sanitized",),
    "tests of kernels": (
        "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.backends.cupy.on_device", "tests/backends/cupy",
    ),
}  # fmt: skip
PLACES = ("bin", "compute-sanitizer")  # below a toolkit's folder


def sanitizer() -> str | None:
    """Where compute-sanitizer is: on the path, or in a toolkit."""
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders = [Path(toolkit) / place for toolkit in toolkits if toolkit for place in PLACES]
    return shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path=os.pathsep.join(map(str, folders))
    )


def command(tool: str, program: str, module: Sequence[str]) -> list[str]:
    """One tool around a module with its arguments."""
    options = ["--tool", tool, "--error-exitcode", str(FOUND), "--print-limit", "20"]
    return [program, *options, sys.executable, "-m", *module]


def sanitize(only: Sequence[str], no_gpu: int, tools: Sequence[str] = TOOLS) -> int:
    """Run all the tools and say what they found: 0 where that is nothing, `no_gpu` where nothing could run."""
    program = sanitizer()
    if program is None:
        print("nothing ran: compute-sanitizer is neither on the path nor in /usr/local/cuda, CUDA_HOME or CUDA_PATH")
        return no_gpu
    statuses = {}
    environment = {**os.environ, **settings(False, 0.9), "AUTODIFF_CUDA_GRAPHS": "0"}  # a graph has a pool
    for tool in tools:
        for name, module in PROGRAMS.items():
            print(f"compute-sanitizer --tool {tool}, {name}", flush=True)
            arguments = (*module, *only) if name == "small programs" else module
            done = subprocess.run(command(tool, program, arguments), cwd=ROOT, env=environment)
            if done.returncode == no_gpu and name == "small programs":
                return no_gpu
            statuses[f"{tool}, {name}"] = done.returncode
    print()
    for what, status in statuses.items():
        print(f"{what}: {said(status)}")
    return int(any(statuses.values()))


def said(status: int) -> str:
    """What the end of a run means."""
    if status == 0:
        return "clean, and all results right"
    return "errors, printed above" if status == FOUND else f"ended with status {status}: wrong results or no run"
