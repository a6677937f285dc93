"""``math`` and ``statistics`` in rewritten programs, with known values and where only shapes are known."""

from __future__ import annotations

import cmath
import math
import statistics
from statistics import mean

import numpy as np
import pytest

import autodiff

X = np.array([0.7, 2.3, 3.9, 1.1])


def steps(x):
    fraction, power = math.frexp(x[0])
    kept = [
        np.where(math.isfinite(x[0]), x[0], 0.0),
        np.where(math.isnan(x[1]), 0.0, x[1]),
        np.where(math.isinf(x[1]), 0.0, x[2]),
        np.where(math.isclose(x[0], x[1]), 0.0, x[3]),
        np.where(math.isclose(x[0], x[0] + 0.01, abs_tol=0.1), x[3], 0.0),
        np.where(cmath.isfinite(x[1]), x[0], 0.0),
    ]
    rounded = math.floor(x[1]) * x[0] + math.ceil(x[0]) * x[1] + math.trunc(x[2]) * x[3]
    return sum(kept) + rounded + np.arange(10.0)[math.floor(x[2])] * x[2] + fraction * math.ldexp(x[1], power)


def means(x):
    weights = [1, 2, 3, 4]
    return (
        mean(x)
        + statistics.mean(v * v for v in x)
        + statistics.fmean(x[:4], weights=weights) * statistics.geometric_mean(x)
        + statistics.harmonic_mean(x) * statistics.harmonic_mean(list(x), weights=weights)
        + statistics.median(x[:3])
    )


def spreads(x):
    y = [1.0, 3.0, 2.0, 5.0]
    line = statistics.linear_regression(y, x)
    return (
        statistics.variance(x) * statistics.pstdev(x.tolist())
        + statistics.stdev(x, statistics.mean(x)) * statistics.pvariance(x, mu=0.3)
        + statistics.covariance(x, y) * statistics.correlation(y, x)
        + line.slope * line.intercept * statistics.linear_regression(x, y, proportional=True).slope
    )


@pytest.mark.parametrize("program", [steps, means, spreads])
def test_values_and_gradients(program):
    own = autodiff.differentiable(program)
    expected = [(program(X + 1e-6 * e) - program(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    for transformation in (lambda f: f, autodiff.jit):
        value, gradient = transformation(autodiff.value_and_grad(own))(X)
        assert value == pytest.approx(program(X), rel=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=1e-7)


@pytest.mark.parametrize("program", [lambda x: mean(x[:0]), lambda x: statistics.stdev(x[:1])])
def test_errors_of_statistics_are_pythons(program):
    with pytest.raises(statistics.StatisticsError, match="requires at least"):
        autodiff.grad(autodiff.differentiable(program))(X)
