"""Initializers that draw from a uniform distribution around 0."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.initializer import get_fans
from autodiff.chainer.initializers.drawing import RandomInitializer, root


class Uniform(RandomInitializer):
    """Elements uniform in [-scale, scale).

    Args:
        scale: the bound.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    >>> import numpy as np
    >>> array = np.empty(2)
    >>> Uniform(1.0, rng=np.random.RandomState(0))(array)
    >>> array.round(3)
    array([0.098, 0.43 ])
    """

    def __init__(self, scale: float = 0.05, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(dtype, kwargs)
        self.scale = scale

    def __call__(self, array: Any) -> None:
        bound = self._bound(array.shape)
        self._fill(array, "uniform", low=-bound, high=bound)

    def _bound(self, shape: tuple[int, ...]) -> float:
        return self.scale


class LeCunUniform(Uniform):
    """Elements uniform in [-s, s) with s = scale * sqrt(3 / fan_in).

    Args:
        scale: the factor of the bound.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    Y. LeCun, L. Bottou, G. Orr, K. Mueller, Efficient BackProp, 1998.
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(scale, dtype, **kwargs)

    def _bound(self, shape: tuple[int, ...]) -> float:
        fan_in, _ = get_fans(shape)
        return self.scale * root(3, fan_in)


class GlorotUniform(Uniform):
    """Elements uniform in [-s, s) with s = scale * sqrt(6 / (fan_in + fan_out)).

    Args:
        scale: the factor of the bound.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    X. Glorot, Y. Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(scale, dtype, **kwargs)

    def _bound(self, shape: tuple[int, ...]) -> float:
        fans = sum(get_fans(shape))
        return self.scale * root(6, fans)


class HeUniform(Uniform):
    """Elements uniform in [-s, s) with s = scale * sqrt(6 / fan_in).

    Args:
        scale: the factor of the bound.
        dtype: the dtype of the arrays to be made for it.
        **kwargs: ``rng``, the generator to draw from; the global ``np.random`` state by default.

    K. He, X. Zhang, S. Ren, J. Sun, Delving Deep into Rectifiers, 2015.
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(scale, dtype, **kwargs)

    def _bound(self, shape: tuple[int, ...]) -> float:
        fan_in, _ = get_fans(shape)
        return self.scale * root(6, fan_in)
