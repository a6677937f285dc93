"""Vector mathematics: functions without branches and calls, which LLVM's loop vectoriser turns into vector code.

Importing this package does not import Numba; `intrinsics` does.
"""

from autodiff.backends.numba.mathematics.accuracy import MAXIMUM_ULPS
from autodiff.backends.numba.mathematics.library import FUNCTIONS, fingerprint, intrinsics, program

__all__ = ["FUNCTIONS", "MAXIMUM_ULPS", "fingerprint", "intrinsics", "program"]
