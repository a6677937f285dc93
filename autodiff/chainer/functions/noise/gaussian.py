"""Normally distributed random numbers as a function of mean and variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade.graph.applying import apply


def gaussian(mean: Any, ln_var: Any, **kwargs: Any) -> Any:
    """mean + exp(ln_var / 2) eps, where eps is drawn from the standard normal distribution.

    Args:
        mean: floats.
        ln_var: logarithms of the variances, of the shape and dtype of mean.
        kwargs: ``eps``, random numbers to use instead; ``return_eps``, whether to return them too.

    Returns:
        an array like mean, or a tuple of it and eps. It is differentiable in both arguments.

    Raises:
        InvalidType: if shapes or dtypes differ, or are no floats.

    D. P. Kingma and M. Welling, Auto-Encoding Variational Bayes, 2013.

    >>> gaussian(np.array([1.0]), np.array([0.0]), eps=np.array([0.5]))
    variable([1.5])
    """
    eps, return_eps = parse_kwargs(kwargs, ("eps", None), ("return_eps", False))
    if eps is None:
        eps = noise(mean, ln_var)
    y = apply(
        "Gaussian",
        lambda mean, ln_var: mean + np.exp(ln_var * 0.5) * eps,
        (mean, ln_var),
        check=lambda mean, ln_var: (
            mean.dtype.kind == "f",
            ln_var.dtype.kind == "f",
            mean.dtype == ln_var.dtype,
            mean.shape == ln_var.shape,
        ),
    )
    return (y, eps) if return_eps else y


def noise(mean: Any, ln_var: Any) -> Any:
    """Random numbers of the shape of ``ln_var`` and the dtype of the mean."""
    with drawing_beside(ln_var):
        return get_array_module(ln_var).random.standard_normal(ln_var.shape).astype(mean.dtype)


Gaussian = function_class(
    "Gaussian",
    gaussian,
    "eps=None",
    computed={"noise": lambda self: self.eps},
    drawn={"eps": lambda self, mean, ln_var: noise(mean, ln_var)},
)
