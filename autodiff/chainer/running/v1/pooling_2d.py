"""Pooling of images, which was one module, ``chainer.functions.pooling_2d``, up to Chainer 1.4."""

from __future__ import annotations

from autodiff.chainer.functions.pooling.average_pooling_2d import AveragePooling2D, average_pooling_2d
from autodiff.chainer.functions.pooling.max_pooling_2d import MaxPooling2D, max_pooling_2d
from autodiff.chainer.functions.pooling.pooling_2d import Pooling2D

__all__ = ["AveragePooling2D", "MaxPooling2D", "Pooling2D", "average_pooling_2d", "max_pooling_2d"]
