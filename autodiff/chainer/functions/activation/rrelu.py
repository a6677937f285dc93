"""The rectifier with a random leak."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line

TRAIN = "train= is gone; use chainer.using_config('train', value)"


def rrelu(x: Any, l: float = 1.0 / 8, u: float = 1.0 / 3, **kwargs: Any) -> Any:  # noqa: E741 - Chainer's name
    """x where it is not negative, r x elsewhere, with random slopes r.

    Args:
        x: floating-point numbers of any shape.
        l: the smallest slope.
        u: the largest slope. Where ``config.train`` is off every slope is the mean of both.
        kwargs: ``r``, slopes to use instead; ``return_r``, whether the slopes are returned too.

    Returns:
        an array of that shape; with ``return_r`` a pair of it and the slopes. The derivative at 0 is 1.

    Raises:
        TypeError: if a keyword is unknown.
        ValueError: if ``l`` is above ``u``.
        InvalidType: if the numbers are no floating-point numbers, or ``r`` does not fit.

    >>> rrelu(np.array([-2.0, 3.0]), r=np.array([0.1, 0.2]))
    variable([-0.2,  3. ])
    """
    r, return_r = parse_kwargs(kwargs, ("r", None), ("return_r", False), train=TRAIN)
    if not l < u:
        raise ValueError(f"lower must be less than upper, got l={l!r} and u={u!r}{at_user_line()}")
    if r is None:
        r = slopes(x, l, u)
    y = apply(
        "RReLU",
        lambda x: np.where(x < 0, r * x, x),
        (x,),
        lambda *in_types: (in_types[0].dtype.kind == "f", in_types[0].shape == r.shape, in_types[0].dtype == r.dtype),
    )
    return (y, r) if return_r else y


def slopes(x: Any, low: float, high: float) -> Any:
    """Slopes for each element: random ones, or the mean."""
    xp = get_array_module(x)
    with drawing_beside(x):
        if config.train:
            return xp.random.uniform(low, high, x.shape).astype(x.dtype)
        return xp.full(x.shape, (low + high) / 2, x.dtype)


RReLU = function_class(
    "RReLU",
    rrelu,
    "lower=0.125, upper=0.3333333333333333, r=None",
    renamed={"lower": "l", "upper": "u"},
    drawn={"r": lambda self, x: slopes(x, self.lower, self.upper)},
)
