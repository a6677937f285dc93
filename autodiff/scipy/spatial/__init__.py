"""scipy.spatial for plain and traced values alike: distances and rotations; every other name is SciPy's own."""

from autodiff.scipy.python_code import with_formulas
from autodiff.scipy.spatial import distance, transform
from autodiff.scipy.spatial.distance import distance_matrix

__getattr__ = with_formulas("scipy.spatial", "minkowski_distance minkowski_distance_p procrustes", constant=("p",))

__all__ = ["distance", "distance_matrix", "transform"]
