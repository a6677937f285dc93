"""`python -m benchmarks.gallery.process LIBRARY PROGRAM PATH`: one program of the gallery in a process of its own.

It prints the seconds of `main()`, without imports, and the library's version; what `main()` found goes to the path.
"""

from __future__ import annotations

import json
import runpy
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
FOLDERS = {"autodiff": ROOT / "docs" / "gallery", "jax": Path(__file__).parent / "by_jax"}


def leaves(found: Any, name: str = "") -> dict[str, Any]:
    """All arrays of what a program found, by their places: numbers of one list are one array."""
    if isinstance(found, dict):
        return {k: v for key, value in found.items() for k, v in leaves(value, f"{name}/{key}").items()}
    if isinstance(found, (list, tuple)) and len({np.shape(part) for part in found}) > 1:
        return {k: v for at, value in enumerate(found) for k, v in leaves(value, f"{name}/{at}").items()}
    return {name.removeprefix("/"): np.asarray(found)}


def main(library: str, program: str, path: str) -> None:
    """Run one program, keep what it found, say how long it took."""
    imported = import_module(library)
    wait = lambda found: found  # noqa: E731 - what NumPy computed is there
    if library == "jax":
        imported.config.update("jax_enable_x64", True)
        wait = imported.block_until_ready
    names = runpy.run_path(str(FOLDERS[library] / f"{program}.py"))
    start = perf_counter()
    found = wait(names["main"]())
    seconds = perf_counter() - start
    np.savez(path, **leaves(found))
    said = {"seconds": seconds, "version": getattr(imported, "__version__", None) or version(library)}
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
