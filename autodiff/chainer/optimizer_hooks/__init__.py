"""Functions that change gradients before an optimizer updates; added by ``optimizer.add_hook``."""

from autodiff.chainer.optimizer_hooks.gradient_clipping import GradientClipping
from autodiff.chainer.optimizer_hooks.gradient_hard_clipping import GradientHardClipping
from autodiff.chainer.optimizer_hooks.gradient_lars import GradientLARS
from autodiff.chainer.optimizer_hooks.gradient_noise import GradientNoise
from autodiff.chainer.optimizer_hooks.lasso import Lasso
from autodiff.chainer.optimizer_hooks.weight_decay import WeightDecay

__all__ = ["GradientClipping", "GradientHardClipping", "GradientLARS", "GradientNoise", "Lasso", "WeightDecay"]
