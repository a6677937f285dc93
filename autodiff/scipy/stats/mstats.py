"""scipy.stats.mstats, statistics of masked arrays: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.stats.mstats")
