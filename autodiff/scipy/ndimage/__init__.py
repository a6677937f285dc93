"""scipy.ndimage for plain and traced values alike: linear filters, and images looked up between their elements."""

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.ndimage.filters import (
    center_of_mass,
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_laplace,
    laplace,
    prewitt,
    sobel,
    spline_filter,
    spline_filter1d,
    uniform_filter,
    uniform_filter1d,
)
from autodiff.scipy.ndimage.transforms import affine_transform, map_coordinates, rotate, shift, zoom

__getattr__ = mirrored("scipy.ndimage")

__all__ = [
    "affine_transform",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_laplace",
    "laplace",
    "map_coordinates",
    "prewitt",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "zoom",
]
