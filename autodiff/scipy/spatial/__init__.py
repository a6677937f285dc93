"""scipy.spatial for plain and traced values alike: distances; every other name is SciPy's own."""

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.spatial import distance

__getattr__ = mirrored("scipy.spatial")

__all__ = ["distance"]
