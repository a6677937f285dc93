"""Vector mathematics: functions without branches and calls, which LLVM's loop vectoriser turns into vector code.

One file for each family of functions holds its text in a tiny language (`language.py`), which `lowering.py` turns into
instructions and `llvm.py` prints; another printer can read the same instructions. The tables
of coefficients are minimax polynomials: Remez' exchange in 60 digits, rounded one coefficient after the other from the
lowest power on, each time with the rest fitted again. The number beside a table is the largest error of the rounded
polynomial.

Loops over these functions must not be compiled with fast-math flags, which undo the exact sums and the handling of NaN.
Importing this package does not import the sources, which only compiling needs.
"""

from importlib import import_module
from typing import Any

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.llvm.mathematics.accuracy import MAXIMUM_ULPS

__all__ = ["FUNCTIONS", "MAXIMUM_ULPS", "fingerprint", "program"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("autodiff.backends.llvm.mathematics.library"), name)
    raise AttributeError(f"module {__name__} has no attribute {name!r}")
