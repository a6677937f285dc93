"""scipy.linalg.lapack, LAPACK: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.linalg.lapack")
