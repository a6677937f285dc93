"""Initializers that draw from a normal distribution around 0."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.initializer import get_fans
from autodiff.chainer.initializers.drawing import RandomInitializer, root
from autodiff.trace.source import at_user_line


class Normal(RandomInitializer):
    """Elements of N(0, scale**2).

    Args:
        scale: the standard deviation.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    >>> import numpy as np
    >>> array = np.empty(2)
    >>> Normal(1.0, rng=np.random.RandomState(0))(array)
    >>> array.round(3)
    array([1.764, 0.4  ])
    """

    def __init__(self, scale: float = 0.05, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(dtype, kwargs)
        self.scale = scale

    def __call__(self, array: Any) -> None:
        self._fill(array, "normal", loc=0.0, scale=self._deviation(array.shape))

    def _deviation(self, shape: tuple[int, ...]) -> float:
        return self.scale


class LeCunNormal(Normal):
    """Elements of N(0, scale**2 / fan_in), the default of most links' weights.

    Args:
        scale: the factor of the standard deviation.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    Y. LeCun, L. Bottou, G. Orr, K. Mueller, Efficient BackProp, 1998.
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(scale, dtype, **kwargs)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan_in, _ = get_fans(shape)
        return self.scale * root(1, fan_in)


class GlorotNormal(Normal):
    """Elements of N(0, scale**2 * 2 / (fan_in + fan_out)).

    Args:
        scale: the factor of the standard deviation.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    X. Glorot, Y. Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(scale, dtype, **kwargs)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fans = sum(get_fans(shape))
        return self.scale * root(2, fans)


class HeNormal(Normal):
    """Elements of N(0, scale**2 * 2 / fan).

    Args:
        scale: the factor of the standard deviation.
        dtype: the dtype of the arrays to be made for it.
        fan_option: which fan: ``"fan_in"`` keeps the variance of the values, ``"fan_out"`` that of the gradients.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    K. He, X. Zhang, S. Ren, J. Sun, Delving Deep into Rectifiers, 2015.
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None, fan_option: str = "fan_in", **kwargs: Any) -> None:
        super().__init__(scale, dtype, **kwargs)
        if fan_option not in ("fan_in", "fan_out"):
            raise ValueError(f"fan_option should be either 'fan_in' or 'fan_out', got {fan_option!r}{at_user_line()}")
        self.fan_option = fan_option

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan = get_fans(shape)[self.fan_option == "fan_out"]
        return self.scale * root(2, fan)
