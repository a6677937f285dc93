"""The normal distribution."""

from autodiff.scipy import stats

cdf = stats.norm.cdf
logcdf = stats.norm.logcdf
logpdf = stats.norm.logpdf
logsf = stats.norm.logsf
pdf = stats.norm.pdf
sf = stats.norm.sf

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]
