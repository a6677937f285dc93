"""The chi-squared distribution."""

from autodiff.scipy import stats

cdf = stats.chi2.cdf
logpdf = stats.chi2.logpdf
pdf = stats.chi2.pdf

__all__ = ["cdf", "logpdf", "pdf"]
