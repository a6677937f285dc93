"""Hooks of links."""

from autodiff.chainer.link_hooks.spectral_normalization import SpectralNormalization
from autodiff.chainer.link_hooks.timer import TimerHook
from autodiff.chainer.link_hooks.weight_standardization import WeightStandardization

__all__ = ["SpectralNormalization", "TimerHook", "WeightStandardization"]
