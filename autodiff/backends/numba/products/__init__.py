"""Products of small matrices, printed as LLVM instructions where the text of a kernel asks for them.

Importing this package does not import Numba; `intrinsics` does.
"""

from autodiff.backends.numba.products.intrinsic import intrinsics

__all__ = ["intrinsics"]
