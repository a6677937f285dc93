"""The Student's t distribution."""

from autodiff.scipy import stats

cdf = stats.t.cdf
logcdf = stats.t.logcdf
logpdf = stats.t.logpdf
pdf = stats.t.pdf

__all__ = ["cdf", "logcdf", "logpdf", "pdf"]
