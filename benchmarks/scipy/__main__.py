"""`python -m benchmarks.scipy`: programs over SciPy, unchanged, beside the same programs written for JAX.

A figure is the seconds of ten values and gradients in a process of its own, without imports. Cold: with an empty cache
on disk, compiling included; warm: the median of the processes after it.
"""

from __future__ import annotations

import sys

from benchmarks.gallery.__main__ import main
from benchmarks.gallery.table import Row

ROWS = {
    "black_scholes": Row(),
    "gaussian_process": Row(),
    "heat_equation": Row(),
    "likelihood": Row(),
    "ode_fit": Row(tolerance=1e-5, note="each library has steps of its own: to their tolerances"),
    "robot": Row(),
}
"""By the name of the program: what must agree."""

if __name__ == "__main__":
    sys.exit(main(None, "benchmarks.scipy", ROWS))
