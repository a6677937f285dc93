"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
import scipy.stats

rvs = scipy.stats.dirichlet.rvs


def logpdf(x: Any, alpha: Any) -> Any:
    """log Gamma(sum of a_k) - sum of log Gamma(a_k) + sum of (a_k - 1) log x_k, along the first axis."""
    scale = scipy.special.gammaln(np.sum(alpha)) - np.sum(scipy.special.gammaln(alpha))
    return scale + np.tensordot(alpha - 1.0, np.log(x), 1)


def pdf(x: Any, alpha: Any) -> Any:
    """The density."""
    return np.exp(logpdf(x, alpha))


__all__ = ["logpdf", "pdf", "rvs"]
