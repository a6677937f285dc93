"""scipy.cluster for plain and traced values alike: distances from codes."""

from autodiff.scipy.cluster import vq
from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.cluster")

__all__ = ["vq"]
