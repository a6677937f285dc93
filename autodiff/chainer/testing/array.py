"""Comparison of arrays."""

from autodiff.chainer.closeness import assert_allclose

__all__ = ["assert_allclose"]
