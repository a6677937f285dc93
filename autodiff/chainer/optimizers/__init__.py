"""Optimizers: how parameters are changed by their gradients."""

from autodiff.chainer.optimizers.ada_delta import AdaDelta
from autodiff.chainer.optimizers.ada_grad import AdaGrad
from autodiff.chainer.optimizers.adam import AdaBound, Adam, AdamW, AMSBound, AMSGrad
from autodiff.chainer.optimizers.corrected_momentum_sgd import CorrectedMomentumSGD
from autodiff.chainer.optimizers.momentum_sgd import MomentumSGD
from autodiff.chainer.optimizers.msvag import MSVAG
from autodiff.chainer.optimizers.nesterov_ag import NesterovAG
from autodiff.chainer.optimizers.rmsprop import RMSprop
from autodiff.chainer.optimizers.rmsprop_graves import RMSpropGraves
from autodiff.chainer.optimizers.sgd import SGD
from autodiff.chainer.optimizers.smorms3 import SMORMS3

__all__ = [
    "MSVAG",
    "SGD",
    "SMORMS3",
    "AMSBound",
    "AMSGrad",
    "AdaBound",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "CorrectedMomentumSGD",
    "MomentumSGD",
    "NesterovAG",
    "RMSprop",
    "RMSpropGraves",
]
