"""``python -m autodiff info``: what a report of a problem should say of the machine and of what is installed."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

import numpy as np

import autodiff
from autodiff.backends.gpu import found as find_gpu

SUMMARY = "print versions, extras, devices, threads and the cache of kernels, for reports of problems"
EXTRAS = {
    "numba": ("numba", "llvmlite"),
    "testing": ("hypothesis",),
    "demo": ("scikit-learn", "matplotlib", "tqdm"),
    "hdf5": ("h5py",),
    "safetensors": ("safetensors",),
    "mpi": ("mpi4py", "mpich"),
    "dask": ("dask", "distributed"),
    "images": ("pillow",),
    "cuda12": ("cupy-cuda12x",),
    "cuda13": ("cupy-cuda13x",),
}
"""What each extra installs that matters at run time."""


def complete(parser: argparse.ArgumentParser) -> None:
    """Give the parser of this command what it runs; it has no options."""
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print the report; the exit code is 0."""
    print("\n".join(report()))
    return 0


def report() -> list[str]:
    """The lines of the report, a title and a text each."""
    sections = {
        "autodiff": [f"{autodiff.__version__}, in {os.path.dirname(autodiff.__file__)}"],
        "python": [f"{platform.python_implementation()} {platform.python_version()}"],
        "system": [f"{platform.platform()}, {os.cpu_count()} cores"],
        "numpy": [f"{np.__version__}, with {blas()}"],
        "scipy": [version_of("scipy")],
        "extras": [f"{extra}: {', '.join(packages(names))}" for extra, names in EXTRAS.items()],
        "device": [device()],
        "threads": [f"{autodiff.get_num_threads()} for large kernels"],
        "cache": list(cache()),
        "settings": sorted(f"{name}={value}" for name, value in os.environ.items() if is_setting(name)) or ["none"],
    }
    return [f"{title if k == 0 else '':10}{line}" for title, lines in sections.items() for k, line in enumerate(lines)]


def packages(names: tuple[str, ...]) -> Iterator[str]:
    """Packages with their versions."""
    return (f"{name} {version_of(name)}" for name in names)


def version_of(name: str) -> str:
    """The version of a package, as it was installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def blas() -> str:
    """The library of products that NumPy was built with."""
    known = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{known.get('name', 'an unknown BLAS')} {known.get('version', '')}".rstrip()


def device() -> str:
    """The GPU that arrays of CuPy lie on, or why there is none."""
    cupy, reason = find_gpu()
    if cupy is None:
        return f"the CPU alone: {reason}"
    here = cupy.cuda.Device()
    name = cupy.cuda.runtime.getDeviceProperties(here.id)["name"].decode()
    return f"{cupy.cuda.runtime.getDeviceCount()} GPUs; number {here.id}: {name}, CuPy {cupy.__version__}"


def cache() -> Iterator[str]:
    """Where kernels are kept, and how much that is."""
    kept = autodiff.cache_info()
    yield f"{kept.folder}"
    yield f"{kept.entries} kernels, {kept.bytes / 1e6:.1f} MB"


def is_setting(name: str) -> bool:
    """Whether a variable of the environment changes what autodiff or BLAS do."""
    return name.startswith("AUTODIFF_") or name.endswith("_NUM_THREADS")
