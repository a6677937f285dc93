"""The multivariate normal distribution."""

from autodiff.scipy import stats

entropy = stats.multivariate_normal.entropy
logpdf = stats.multivariate_normal.logpdf
pdf = stats.multivariate_normal.pdf

__all__ = ["entropy", "logpdf", "pdf"]
