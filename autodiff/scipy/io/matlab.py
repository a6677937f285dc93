"""scipy.io.matlab, files of MATLAB: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.io.matlab")
