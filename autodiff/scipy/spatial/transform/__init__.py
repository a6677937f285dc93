"""scipy.spatial.transform for plain and traced values alike: rotations; every other name is SciPy's own."""

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.spatial.transform.rotation import Rotation, Slerp
from autodiff.scipy.spatial.transform.rotation import adopted as adopted

__getattr__ = mirrored("scipy.spatial.transform")

__all__ = ["Rotation", "Slerp"]
