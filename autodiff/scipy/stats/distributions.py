"""scipy.stats.distributions for plain and traced values alike: the distributions of ``scipy.stats``."""

from typing import Any

import scipy.stats.distributions

from autodiff.scipy import stats


def __getattr__(name: str) -> Any:
    getattr(scipy.stats.distributions, name)  # which may have no such name
    return getattr(stats, name)
