"""One thread for everybody: set before NumPy is imported, recorded with the figures."""

from __future__ import annotations

import os

PINS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


def pin() -> None:
    """Set every variable; libraries read them once, so call this before the first import of one."""
    os.environ.update(PINS)


def settings() -> dict[str, str | None]:
    """What the variables say now."""
    return {name: os.environ.get(name) for name in PINS}
