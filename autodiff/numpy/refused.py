"""Functions of NumPy that are refused for traced values, and why."""

from __future__ import annotations

import numpy as np

from autodiff.numpy.dispatch import refuse

REASONS = {
    "the number of its results depends on the values, and of equal elements it is arbitrary which one they come from": (
        "intersect1d setdiff1d setxor1d unique_all unique_counts unique_inverse unique_values"
    ),
}

for reason, names in REASONS.items():
    refuse(reason, *(getattr(np, name) for name in names.split() if hasattr(np, name)))
