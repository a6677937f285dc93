"""Small things that programs of Chainer use."""

from collections import abc as collections_abc

from autodiff.chainer.utils import argument, array, cache, conv, conv_nd, error, imgproc, precision, sparse, type_check
from autodiff.chainer.utils.array import force_array, force_type, size_of_shape, sum_to
from autodiff.chainer.utils.conv import get_conv_outsize, get_deconv_outsize
from autodiff.chainer.utils.experimental import experimental
from autodiff.chainer.utils.meta import enable_final, final
from autodiff.chainer.utils.nondeterministic import nondeterministic
from autodiff.chainer.utils.sparse import CooMatrix, get_order, to_coo
from autodiff.chainer.utils.tempdirs import tempdir
from autodiff.chainer.utils.walker_alias import WalkerAlias

__all__ = [
    "CooMatrix",
    "WalkerAlias",
    "argument",
    "array",
    "cache",
    "collections_abc",
    "conv",
    "conv_nd",
    "enable_final",
    "error",
    "experimental",
    "final",
    "force_array",
    "force_type",
    "get_conv_outsize",
    "get_deconv_outsize",
    "get_order",
    "imgproc",
    "nondeterministic",
    "precision",
    "size_of_shape",
    "sparse",
    "sum_to",
    "tempdir",
    "to_coo",
    "type_check",
]
