"""scipy.spatial for plain and traced values alike: distances and rotations; every other name is SciPy's own."""

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.spatial import distance, transform
from autodiff.scipy.spatial.distance import distance_matrix

__getattr__ = mirrored("scipy.spatial")

__all__ = ["distance", "distance_matrix", "transform"]
