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
from autodiff.scipy.ndimage.ranks import (
    black_tophat,
    grey_closing,
    grey_dilation,
    grey_erosion,
    grey_opening,
    maximum_filter,
    maximum_filter1d,
    median_filter,
    minimum_filter,
    minimum_filter1d,
    morphological_gradient,
    morphological_laplace,
    percentile_filter,
    rank_filter,
    white_tophat,
)
from autodiff.scipy.ndimage.transforms import affine_transform, map_coordinates, rotate, shift, zoom
from autodiff.scipy.python_code import with_formulas

CONSTANTS = """
    binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening binary_propagation
    find_objects label maximum_position minimum_position value_indices watershed_ift
"""
"""Functions whose results are places, labels and truths."""

__getattr__ = with_formulas(
    "scipy.ndimage",
    "mean sum sum_labels variance standard_deviation maximum minimum",
    mirrored("scipy.ndimage", constants=CONSTANTS),
)

__all__ = [
    "affine_transform",
    "black_tophat",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_laplace",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "laplace",
    "map_coordinates",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "white_tophat",
    "zoom",
]
