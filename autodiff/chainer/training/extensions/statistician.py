"""Mean, standard deviation and percentiles by name."""

from __future__ import annotations

from typing import Any

import numpy as np


class Statistician:
    """Computes statistics of arrays by name.

    Args:
        collect_mean: whether to compute the mean.
        collect_std: whether to compute the standard deviation.
        percentile_sigmas: which percentiles to compute, in percent.

    >>> Statistician(True, False, (0, 50))(np.arange(5.0))
    {'mean': np.float64(2.0), 'percentile': array([0., 2.])}
    """

    def __init__(self, collect_mean: bool, collect_std: bool, percentile_sigmas: tuple[float, ...]) -> None:
        self.collect_mean = collect_mean
        self.collect_std = collect_std
        self.percentile_sigmas = percentile_sigmas

    def names(self) -> list[str]:
        """The name of each number, in order."""
        moments = [name for name, wanted in (("mean", self.collect_mean), ("std", self.collect_std)) if wanted]
        return moments + ["percentile"] * len(self.percentile_sigmas)

    def __call__(self, x: Any, axis: Any = 0, dtype: Any = None, xp: Any = None) -> dict[str, Any]:
        """The statistics along an axis, or of everything if it is None."""
        found = self.collect(x, axis)
        return found if dtype is None else {name: value.astype(dtype) for name, value in found.items()}

    def collect(self, x: Any, axis: Any) -> dict[str, Any]:
        """The statistics."""
        found = {}
        if self.collect_mean:
            found["mean"] = x.mean(axis=axis)
        if self.collect_std:
            found["std"] = x.std(axis=axis)
        if self.percentile_sigmas:
            found["percentile"] = np.percentile(x, self.percentile_sigmas, axis=axis)
        return found
