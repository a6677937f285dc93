"""scipy.stats.qmc, points that fill space evenly: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.stats.qmc")
