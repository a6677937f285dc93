"""scipy.cluster.hierarchy, trees of clusters: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.cluster.hierarchy")
