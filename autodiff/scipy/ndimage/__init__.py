"""scipy.ndimage for plain and traced values alike: linear filters, and images looked up between their elements."""

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
from autodiff.scipy.python_code import with_formulas

__getattr__ = with_formulas("scipy.ndimage", "mean sum sum_labels variance standard_deviation maximum minimum")

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
