"""scipy.odr, fits of curves with errors in both variables: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.odr")
