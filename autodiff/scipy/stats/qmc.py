"""scipy.stats.qmc, points that fill space evenly: between traced bounds; others refuse traced values by name."""

from typing import Any

import numpy as np
import scipy.stats.qmc

from autodiff.numpy.dispatch import as_operand
from autodiff.ops.elementwise import where
from autodiff.scipy.mirror import counterpart, mirrored


@counterpart(scipy.stats.qmc.scale)
def scale(sample: Any, l_bounds: Any, u_bounds: Any, *, reverse: bool = False) -> Any:
    """Points of the unit cube between bounds, or back; NaN where they lie outside, of which SciPy raises an error."""
    x, low, high = as_operand(sample), as_operand(l_bounds), as_operand(u_bounds)
    found = (x - low) / (high - low) if reverse else x * (high - low) + low
    unit = found if reverse else x
    return where((low < high) & (unit >= 0) & (unit <= 1), found, np.nan)


__getattr__ = mirrored("scipy.stats.qmc")
