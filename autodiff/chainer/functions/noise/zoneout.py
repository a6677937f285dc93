"""States that stay as they were, at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.noise.dropout import TRAIN
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config


def zoneout(h: Any, x: Any, ratio: float = 0.5, **kwargs: Any) -> Any:
    """Each element is that of h with probability ``ratio``, and that of x otherwise.

    Where ``config.train`` is false it is x itself.

    Args:
        h: the state before.
        x: the state after, of the same shape.
        ratio: the probability.
        kwargs: there are none; ``train=`` is gone.

    Returns:
        an array like x.

    D. Krueger et al., Zoneout: Regularizing RNNs by Randomly Preserving Hidden Activations, 2016.

    >>> zoneout(np.zeros(2), np.ones(2), ratio=0.0)
    variable([1., 1.])
    """
    parse_kwargs(kwargs, train=TRAIN)
    if not config.train:
        return x
    with drawing_beside(x):
        flag_x = get_array_module(x).random.rand(*x.shape) >= ratio
    return apply("Zoneout", lambda h, x: np.where(flag_x, x, h), (h, x), check=lambda h, x: h.shape == x.shape)


Zoneout = function_class(
    "Zoneout",
    zoneout,
    "zoneout_ratio",
    renamed={"zoneout_ratio": "ratio"},
    computed={"flag_h": lambda self: ~self.flag_x},
)
