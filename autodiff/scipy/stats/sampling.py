"""scipy.stats.sampling, random numbers of any density: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.stats.sampling")
