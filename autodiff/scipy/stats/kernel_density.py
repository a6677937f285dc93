"""Densities estimated by normal kernels around points."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import log, pi
from typing import Any

import numpy as np
import scipy.stats

from autodiff.numpy.buffers import settled
from autodiff.ops.elementwise import exp
from autodiff.ops.matrices.triangular import solve_triangular
from autodiff.scipy.mirror import holds_traced
from autodiff.scipy.python_code import running_again
from autodiff.scipy.special import logsumexp
from autodiff.scipy.stats.distribution import in_double
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line


def again(name: str) -> Callable[..., Any]:
    """SciPy's method, whose code runs on traced values where there are some."""
    own: Any = scipy.stats.gaussian_kde.__dict__[name]

    @wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not holds_traced((args, kwargs, list(vars(self).values()))):
            return own(self, *args, **kwargs)
        found = running_again(own)(self, *args, **kwargs)
        for key, value in vars(self).items():
            self.__dict__[key] = settled(value)
        return settled(found)

    return method


class gaussian_kde(scipy.stats.gaussian_kde):  # type: ignore[misc]
    """SciPy's density estimate, differentiated by places, by the points it is made of and their weights.

    Points are columns. ``evaluate``, ``pdf``, ``logpdf``, ``integrate_gaussian``, ``integrate_box_1d`` and
    ``integrate_kde`` take traced values; ``resample`` and ``integrate_box`` refuse them.

    >>> import numpy as np, autodiff
    >>> density = gaussian_kde(np.array([0.0, 1.0, 3.0]))
    >>> round(autodiff.grad(lambda x: density.logpdf(x)[0])(0.5), 3)
    0.106
    """

    __init__ = again("__init__")
    set_plain_bandwidth = again("set_bandwidth")
    _compute_covariance = again("_compute_covariance")
    integrate_gaussian = again("integrate_gaussian")
    integrate_box_1d = again("integrate_box_1d")
    integrate_kde = again("integrate_kde")

    def set_bandwidth(self, bw_method: Any = None) -> Any:
        """The way to find the factor of the bandwidth, or the factor, which may be traced."""
        if not holds_traced(bw_method) or np.ndim(bw_method):
            return self.set_plain_bandwidth(bw_method)
        self._bw_method = bw_method
        self.covariance_factor = lambda: bw_method
        return self._compute_covariance()

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density at columns."""
        if not holds_traced((x, list(vars(self).values()))):
            return super().logpdf(x)
        x = in_double(x)
        places = np.reshape(x, (1, -1)) if x.ndim < 2 else x
        if places.shape[0] != self.d and places.shape == (1, self.d):
            places = np.reshape(places, (self.d, 1))
        if places.shape[0] != self.d:
            raise ValueError(f"points have dimension {places.shape[0]}, dataset has dimension {self.d}")
        apart = np.reshape(places[:, :, None] - self.dataset[:, None, :], (self.d, -1))
        scaled = solve_triangular(in_double(self.cho_cov), apart, lower=True, transposed=False, unit=False)
        energies = 0.5 * np.reshape(np.sum(scaled * scaled, 0), (places.shape[1], self.n))
        volume = np.sum(np.log(np.diagonal(self.cho_cov))) + 0.5 * self.d * log(2 * pi)
        return logsumexp(np.log(self.weights) - energies, axis=1) - volume

    def evaluate(self, points: Any) -> Any:
        """The density at columns."""
        if not holds_traced((points, list(vars(self).values()))):
            return super().evaluate(points)
        return exp(self.logpdf(points))

    __call__ = evaluate

    def pdf(self, x: Any) -> Any:
        """The density at columns."""
        return self.evaluate(x)

    def resample(self, size: Any = None, seed: Any = None) -> Any:
        """Points drawn from the density."""
        self.refuse_traced("resample", ())
        return super().resample(size, seed)

    def integrate_box(self, *args: Any, **kwargs: Any) -> Any:
        """The probability of a box, which is a sum of random numbers."""
        self.refuse_traced("integrate_box", (args, kwargs))
        return super().integrate_box(*args, **kwargs)

    def refuse_traced(self, name: str, given: Any) -> None:
        """Raise where a value is traced."""
        if holds_traced((given, list(vars(self).values()))):
            raise DifferentiationError(
                f"gaussian_kde.{name} cannot be called with traced values{at_user_line()}: it draws random numbers; "
                "use stop_gradient, or logpdf and the integrals in closed form"
            )
