"""Samples of a categorical distribution, softened so that they have a derivative."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.activation.softmax import softmax
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.facade import as_variable
from autodiff.trace.traced import Traced


def gumbel_softmax(log_pi: Any, tau: float = 0.1, axis: int = 1) -> Any:
    """softmax((log_pi + g) / tau), where g is drawn from the standard Gumbel distribution.

    Args:
        log_pi: logarithms of probabilities, not necessarily normalised; floats.
        tau: temperature: the smaller, the nearer to a sample that is all in one class.
        axis: the classes.

    Returns:
        an array like log_pi.

    E. Jang, S. Gu and B. Poole, Categorical Reparameterization with Gumbel-Softmax, 2016.

    >>> import numpy as np
    >>> gumbel_softmax(np.zeros((4, 3))).shape
    (4, 3)
    """
    with drawing_beside(log_pi):
        noise = get_array_module(log_pi).random.gumbel(size=log_pi.shape).astype(log_pi.dtype)
    logits = log_pi if isinstance(log_pi, Traced) else as_variable(log_pi)
    return softmax((logits + noise) / tau, axis=axis)
