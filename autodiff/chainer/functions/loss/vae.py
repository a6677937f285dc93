"""Losses of probability distributions, as variational autoencoders use them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.chainer.functions.math.average import average
from autodiff.chainer.functions.math.sum import sum as total
from autodiff.facade import Variable, as_variable
from autodiff.ops.elementwise import softplus


def gaussian_kl_divergence(mean: Any, ln_var: Any, reduce: str = "sum") -> Variable:
    """(mean**2 + exp(ln_var) - ln_var - 1) / 2: the divergence of a Gaussian from the standard one.

    Args:
        mean: means, floats.
        ln_var: logarithms of the variances, of the same dtype.
        reduce: ``"sum"``, ``"mean"``, or ``"no"`` for each element.

    Returns:
        a number, or an array of their shape.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: for another ``reduce``.

    >>> gaussian_kl_divergence(np.array([1.0, 2.0]), np.zeros(2))
    variable(2.5)
    """
    check_reduce(reduce, "sum", "mean", "no")
    mean, ln_var = as_variable(mean), as_variable(ln_var)
    return reduced((mean * mean + np.exp(ln_var) - ln_var - 1) * 0.5, reduce)


def bernoulli_nll(x: Any, y: Any, reduce: str = "sum") -> Variable:
    """log(1 + exp(y)) - x y: minus the logarithm of the likelihood of x, where sigmoid(y) is the probability of 1.

    Args:
        x: observations between 0 and 1, floats.
        y: scores of the same shape and dtype.
        reduce: ``"sum"``, ``"mean"``, or ``"no"`` for each element.

    Returns:
        a number, or an array of their shape.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: for another ``reduce``.

    >>> bernoulli_nll(np.array([1.0, 0.0]), np.array([0.0, 0.0]), reduce="no")
    variable([0.69314718, 0.69314718])
    """
    check_reduce(reduce, "sum", "mean", "no")
    y = as_variable(y)
    return reduced(softplus(y) - y * x, reduce)


def gaussian_nll(x: Any, mean: Any, ln_var: Any, reduce: str = "sum") -> Variable:
    """((x - mean)**2 exp(-ln_var) + ln_var + log(2 pi)) / 2: minus the logarithm of a Gaussian density.

    Args:
        x: observations, floats.
        mean: means of the same dtype.
        ln_var: logarithms of the variances, of the same dtype.
        reduce: ``"sum"``, ``"mean"``, or ``"no"`` for each element.

    Returns:
        a number, or an array of their shape.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: for another ``reduce``.

    >>> gaussian_nll(np.array([1.0]), np.array([0.0]), np.array([0.0]))
    variable(1.41893853)
    """
    check_reduce(reduce, "sum", "mean", "no")
    mean, ln_var = as_variable(mean), as_variable(ln_var)
    d = x - mean
    return reduced((ln_var + math.log(2 * math.pi)) * 0.5 - d * d * np.exp(-ln_var) * -0.5, reduce)


def reduced(each: Variable, reduce: str) -> Variable:
    """The sum or the mean of all elements, or the elements."""
    if reduce == "no":
        return each
    return total(each) if reduce == "sum" else average(each)
