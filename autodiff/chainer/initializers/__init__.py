"""Functions that fill arrays before training begins."""

from autodiff.chainer.initializers.constant import Constant, Identity, NaN, One, Zero
from autodiff.chainer.initializers.generation import _check_is_initializer_like, _get_initializer, generate_array
from autodiff.chainer.initializers.normal import GlorotNormal, HeNormal, LeCunNormal, Normal
from autodiff.chainer.initializers.orthogonal import Orthogonal
from autodiff.chainer.initializers.sampling import DownsamplingConvFilter, UpsamplingDeconvFilter
from autodiff.chainer.initializers.uniform import GlorotUniform, HeUniform, LeCunUniform, Uniform

__all__ = [
    "Constant",
    "DownsamplingConvFilter",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "LeCunNormal",
    "LeCunUniform",
    "NaN",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "UpsamplingDeconvFilter",
    "Zero",
    "_check_is_initializer_like",
    "_get_initializer",
    "generate_array",
]
