"""Python's ``statistics`` for traced numbers, which its exact fractions cannot be made of.

Where the numbers are known Python's own function runs first, so its errors are raised.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS, contains_traced, missing
from autodiff.numpy.mathematics import numbers, plain_numbers
from autodiff.numpy.namespace import KNOWN, StandIn, enter, has_traced_values
from autodiff.programs.counterparts import FINDERS

Sample = Sequence[Any]


def fmean(data: Sample, weights: Sample | None = None) -> Any:
    """The sum of the numbers, with weights, by that of the weights."""
    if weights is None:
        return sum(data) / len(data)
    return sum(x * w for x, w in zip(data, weights, strict=True)) / sum(weights)


def harmonic_mean(data: Sample, weights: Sample | None = None) -> Any:
    """The reciprocal of the mean of the reciprocals."""
    return 1.0 / fmean([1.0 / x for x in data], weights)


def products(x: Sample, y: Sample, x_mean: Any = None, y_mean: Any = None) -> Any:
    """The sum of the products of distances from the means."""
    x_mean, y_mean = (fmean(data) if mean is None else mean for data, mean in ((x, x_mean), (y, y_mean)))
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))


def variance(data: Sample, xbar: Any = None) -> Any:
    """The mean squared distance from the mean, of all but one."""
    return products(data, data, xbar, xbar) / (len(data) - 1)


def pvariance(data: Sample, mu: Any = None) -> Any:
    """The mean squared distance from the mean."""
    return products(data, data, mu, mu) / len(data)


def correlation(x: Sample, y: Sample, /, *, method: str = "linear") -> Any:
    """The covariance by both standard deviations."""
    if method != "linear":
        raise missing(f"statistics.correlation(method={method!r})", "ranks are constant")
    return products(x, y) / UFUNCS[np.sqrt](products(x, x) * products(y, y))


def linear_regression(x: Sample, y: Sample, /, *, proportional: bool = False) -> Any:
    """Slope and intercept of the line nearest to the points; of one through the origin the slope."""
    means = (0.0, 0.0) if proportional else (fmean(x), fmean(y))
    slope = products(x, y, *means) / products(x, x, means[0], means[0])
    return sys.modules["statistics"].LinearRegression(slope, means[1] - slope * means[0])


OWN: dict[str, Callable[..., Any]] = {
    "correlation": correlation,
    "covariance": lambda x, y: products(x, y) / (len(x) - 1),
    "fmean": fmean,
    "geometric_mean": lambda data: UFUNCS[np.exp](fmean([UFUNCS[np.log](x) for x in data])),
    "harmonic_mean": harmonic_mean,
    "linear_regression": linear_regression,
    "mean": fmean,
    "median": lambda data: FUNCTIONS[np.median](FUNCTIONS[np.stack](data)),
    "pstdev": lambda data, mu=None: UFUNCS[np.sqrt](pvariance(data, mu)),
    "pvariance": pvariance,
    "stdev": lambda data, xbar=None: UFUNCS[np.sqrt](variance(data, xbar)),
    "variance": variance,
}


def of_traced(original: FunctionType, own: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ``statistics`` that takes traced numbers too."""

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not has_traced_values():
            return original(*args, **kwargs)
        args, kwargs = tuple(map(listed, args)), {name: listed(value) for name, value in kwargs.items()}
        if not contains_traced((*args, *kwargs.values())):
            return original(*args, **kwargs)
        args, kwargs = numbers(args), {name: numbers(value) for name, value in kwargs.items()}
        plain = plain_numbers([*args, *kwargs.values()])
        if plain is not None:
            original(*plain[: len(args)], **dict(zip(kwargs, plain[len(args) :], strict=True)))
        return own(*args, **kwargs)

    return function


def listed(data: Any) -> Any:
    """What a function is given: a sample as a list, anything else as it is."""
    data = settled(data)
    is_sample = hasattr(data, "__iter__") and not isinstance(data, str) and getattr(data, "shape", None) != ()
    return list(data) if is_sample else data


def is_pythons(module: ModuleType | None) -> bool:
    """Whether a module is of Python's library, and not one of the user's with the same name."""
    folder = os.path.dirname(os.__file__)
    return module is not None and os.path.dirname(str(getattr(module, "__file__", ""))) == folder


def counterpart(value: Any) -> Any:
    """What stands for the module, or for a function of it."""
    found = KNOWN.get(id(value))
    if found is not None:
        return found[1]
    if not is_pythons(sys.modules.get("statistics")):
        return value
    if isinstance(value, ModuleType):
        return enter(value, StandIn(value, counterpart))
    own = OWN.get(getattr(value, "__name__", ""))
    return enter(value, of_traced(value, own)) if own is not None and isinstance(value, FunctionType) else value


FINDERS["statistics"] = counterpart
