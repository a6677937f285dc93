"""The gamma distribution."""

from autodiff.scipy import stats

cdf = stats.gamma.cdf
logpdf = stats.gamma.logpdf
pdf = stats.gamma.pdf

__all__ = ["cdf", "logpdf", "pdf"]
