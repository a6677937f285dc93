"""scipy.datasets, pictures and signals that ship with SciPy: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.datasets")
