"""The largest pixel under each window; a case of :func:`max_pooling_nd`."""

from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d

__all__ = ["max_pooling_2d"]
