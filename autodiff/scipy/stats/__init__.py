"""scipy.stats for plain and traced values alike: its distributions; other functions refuse traced values by name."""

from __future__ import annotations

from typing import Any

import scipy.stats

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.stats.distribution import Continuous, Discrete, Distribution
from autodiff.scipy.stats.multivariate_normal import MultivariateNormal
from autodiff.scipy.stats.poisson_binomial import PoissonBinomial

multivariate_normal = MultivariateNormal()
_rest = mirrored("scipy.stats")
KNOWN: dict[str, Distribution] = {"poisson_binom": PoissonBinomial(scipy.stats.poisson_binom)}


def __getattr__(name: str) -> Any:
    own = getattr(scipy.stats, name)
    kind = (
        Continuous
        if isinstance(own, scipy.stats.rv_continuous)
        else Discrete
        if isinstance(own, scipy.stats.rv_discrete)
        else None
    )
    if kind is None:
        return _rest(name)
    found = KNOWN.get(name)
    if found is None:
        found = KNOWN[name] = kind(own)
    return found
