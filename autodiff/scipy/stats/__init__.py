"""scipy.stats for plain and traced values alike: distributions, means and tests; others refuse traced ones by name."""

from __future__ import annotations

from typing import Any

import scipy.stats

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.stats.distribution import Continuous, Discrete, Distribution, Frozen
from autodiff.scipy.stats.kernel_density import gaussian_kde
from autodiff.scipy.stats.multivariate import MULTIVARIATE
from autodiff.scipy.stats.multivariate_normal import MultivariateNormal
from autodiff.scipy.stats.poisson_binomial import PoissonBinomial
from autodiff.scipy.stats.powers import POWERS
from autodiff.scipy.stats.summaries import SUMMARIES

multivariate_normal = MultivariateNormal()
OURS: dict[str, Any] = {**SUMMARIES, **POWERS, **MULTIVARIATE}
_rest = mirrored("scipy.stats")
KNOWN: dict[str, Distribution] = {"poisson_binom": PoissonBinomial(scipy.stats.poisson_binom)}


def __getattr__(name: str) -> Any:
    if name in OURS:
        return OURS[name]
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


def adopted(value: Any) -> Any:
    """A distribution of SciPy's, of vectors or with its parameters fixed, as one of ours; anything else as it is."""
    for known in (*MULTIVARIATE, "multivariate_normal"):
        if value is getattr(scipy.stats, known):
            return OURS.get(known, multivariate_normal)
    own: Any = getattr(value, "dist", None)
    name = getattr(own, "name", None) or ""
    if own is None or type(getattr(scipy.stats, name, None)) is not type(own):
        return value
    return Frozen(__getattr__(name), value.args, value.kwds)


__all__ = [
    "entropy",
    "gaussian_kde",
    "gmean",
    "hmean",
    "kurtosis",
    "linregress",
    "moment",
    "multivariate_normal",
    "pearsonr",
    "pmean",
    "sem",
    "skew",
    "ttest_1samp",
    "ttest_ind",
    "ttest_rel",
    "variation",
    "zscore",
]
