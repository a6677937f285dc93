"""The beta distribution."""

from autodiff.scipy import stats

cdf = stats.beta.cdf
logpdf = stats.beta.logpdf
pdf = stats.beta.pdf

__all__ = ["cdf", "logpdf", "pdf"]
