"""The same number of threads for everybody: set before NumPy is imported, recorded with the figures."""

from __future__ import annotations

import os

COUNTED = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "AUTODIFF_NUM_THREADS",
    "NPROC",  # the size of XLA's pool
)
ONE_IN_XLA = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def variables(threads: int) -> dict[str, str]:
    """The settings of the environment for so many threads."""
    return {
        **dict.fromkeys(COUNTED, str(threads)),
        "XLA_FLAGS": ONE_IN_XLA if threads == 1 else "",
        "JAX_PLATFORMS": "cpu",
    }


def pin() -> None:
    """Set every variable to one thread; libraries read them once, so call this before the first import of one."""
    os.environ.update(variables(1))


def settings() -> dict[str, str | None]:
    """What the variables say now."""
    return {name: os.environ.get(name) for name in variables(1)}
