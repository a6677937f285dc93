"""The Poisson distribution."""

from autodiff.scipy import stats

cdf = stats.poisson.cdf
logpmf = stats.poisson.logpmf
pmf = stats.poisson.pmf

__all__ = ["cdf", "logpmf", "pmf"]
