"""Chainer's functions by their names: each from the module where Chainer has it."""

from typing import NoReturn as _NoReturn

from autodiff.chainer.functions.activation.clipped_relu import clipped_relu, relu6
from autodiff.chainer.functions.activation.crelu import crelu
from autodiff.chainer.functions.activation.elu import elu
from autodiff.chainer.functions.activation.hard_sigmoid import hard_sigmoid
from autodiff.chainer.functions.activation.leaky_relu import leaky_relu
from autodiff.chainer.functions.activation.log_softmax import log_softmax
from autodiff.chainer.functions.activation.maxout import maxout
from autodiff.chainer.functions.activation.prelu import prelu
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.activation.rrelu import rrelu
from autodiff.chainer.functions.activation.selu import selu
from autodiff.chainer.functions.activation.sigmoid import sigmoid
from autodiff.chainer.functions.activation.softmax import softmax
from autodiff.chainer.functions.activation.softplus import softplus
from autodiff.chainer.functions.activation.swish import swish
from autodiff.chainer.functions.activation.tanh import tanh
from autodiff.chainer.functions.array.as_strided import as_strided
from autodiff.chainer.functions.array.broadcast import broadcast, broadcast_to
from autodiff.chainer.functions.array.cast import cast
from autodiff.chainer.functions.array.concat import concat
from autodiff.chainer.functions.array.copy import copy
from autodiff.chainer.functions.array.depth2space import depth2space
from autodiff.chainer.functions.array.diagonal import diagonal
from autodiff.chainer.functions.array.dstack import dstack
from autodiff.chainer.functions.array.expand_dims import expand_dims
from autodiff.chainer.functions.array.flatten import flatten
from autodiff.chainer.functions.array.flip import flip
from autodiff.chainer.functions.array.fliplr import fliplr
from autodiff.chainer.functions.array.flipud import flipud
from autodiff.chainer.functions.array.get_item import get_item
from autodiff.chainer.functions.array.hstack import hstack
from autodiff.chainer.functions.array.im2col import im2col
from autodiff.chainer.functions.array.moveaxis import moveaxis
from autodiff.chainer.functions.array.pad import pad
from autodiff.chainer.functions.array.pad_sequence import pad_sequence
from autodiff.chainer.functions.array.permutate import permutate
from autodiff.chainer.functions.array.repeat import repeat
from autodiff.chainer.functions.array.reshape import reshape
from autodiff.chainer.functions.array.resize_images import resize_images
from autodiff.chainer.functions.array.rollaxis import rollaxis
from autodiff.chainer.functions.array.scatter_add import scatter_add
from autodiff.chainer.functions.array.select_item import select_item
from autodiff.chainer.functions.array.separate import separate
from autodiff.chainer.functions.array.space2depth import space2depth
from autodiff.chainer.functions.array.spatial_transformer_grid import spatial_transformer_grid
from autodiff.chainer.functions.array.spatial_transformer_sampler import spatial_transformer_sampler
from autodiff.chainer.functions.array.split_axis import split_axis
from autodiff.chainer.functions.array.squeeze import squeeze
from autodiff.chainer.functions.array.stack import stack
from autodiff.chainer.functions.array.swapaxes import swapaxes
from autodiff.chainer.functions.array.tile import tile
from autodiff.chainer.functions.array.transpose import transpose
from autodiff.chainer.functions.array.transpose_sequence import transpose_sequence
from autodiff.chainer.functions.array.vstack import vstack
from autodiff.chainer.functions.array.where import where
from autodiff.chainer.functions.connection.bilinear import bilinear
from autodiff.chainer.functions.connection.convolution_2d import convolution_2d
from autodiff.chainer.functions.connection.convolution_nd import convolution_1d, convolution_3d, convolution_nd
from autodiff.chainer.functions.connection.deconvolution_2d import deconvolution_2d
from autodiff.chainer.functions.connection.deconvolution_nd import deconvolution_1d, deconvolution_3d, deconvolution_nd
from autodiff.chainer.functions.connection.deformable_convolution_2d_sampler import deformable_convolution_2d_sampler
from autodiff.chainer.functions.connection.depthwise_convolution_2d import depthwise_convolution_2d
from autodiff.chainer.functions.connection.dilated_convolution_2d import dilated_convolution_2d
from autodiff.chainer.functions.connection.embed_id import embed_id
from autodiff.chainer.functions.connection.linear import linear
from autodiff.chainer.functions.connection.local_convolution_2d import local_convolution_2d
from autodiff.chainer.functions.connection.shift import shift
from autodiff.chainer.functions.evaluation.accuracy import accuracy
from autodiff.chainer.functions.evaluation.binary_accuracy import binary_accuracy
from autodiff.chainer.functions.evaluation.classification_summary import (
    classification_summary,
    f1_score,
    precision,
    recall,
)
from autodiff.chainer.functions.evaluation.r2_score import r2_score
from autodiff.chainer.functions.loss.absolute_error import absolute_error
from autodiff.chainer.functions.loss.black_out import black_out
from autodiff.chainer.functions.loss.contrastive import contrastive
from autodiff.chainer.functions.loss.crf1d import argmax_crf1d, crf1d
from autodiff.chainer.functions.loss.cross_covariance import cross_covariance
from autodiff.chainer.functions.loss.ctc import connectionist_temporal_classification
from autodiff.chainer.functions.loss.decov import decov
from autodiff.chainer.functions.loss.discriminative_loss import discriminative_margin_based_clustering_loss
from autodiff.chainer.functions.loss.hinge import hinge
from autodiff.chainer.functions.loss.huber_loss import huber_loss
from autodiff.chainer.functions.loss.mean_absolute_error import mean_absolute_error
from autodiff.chainer.functions.loss.mean_squared_error import mean_squared_error
from autodiff.chainer.functions.loss.negative_sampling import negative_sampling
from autodiff.chainer.functions.loss.sigmoid_cross_entropy import sigmoid_cross_entropy
from autodiff.chainer.functions.loss.softmax_cross_entropy import softmax_cross_entropy
from autodiff.chainer.functions.loss.squared_error import squared_difference, squared_error
from autodiff.chainer.functions.loss.triplet import triplet
from autodiff.chainer.functions.loss.vae import bernoulli_nll, gaussian_kl_divergence, gaussian_nll
from autodiff.chainer.functions.math.arctanh import arctanh
from autodiff.chainer.functions.math.average import average, mean
from autodiff.chainer.functions.math.basic_math import absolute, add
from autodiff.chainer.functions.math.batch_l2_norm_squared import batch_l2_norm_squared
from autodiff.chainer.functions.math.bias import bias
from autodiff.chainer.functions.math.ceil import ceil
from autodiff.chainer.functions.math.cholesky import cholesky
from autodiff.chainer.functions.math.clip import clip
from autodiff.chainer.functions.math.cumprod import cumprod
from autodiff.chainer.functions.math.cumsum import cumsum
from autodiff.chainer.functions.math.det import batch_det, det
from autodiff.chainer.functions.math.digamma import digamma
from autodiff.chainer.functions.math.einsum import einsum
from autodiff.chainer.functions.math.erf import erf
from autodiff.chainer.functions.math.erfc import erfc
from autodiff.chainer.functions.math.erfcinv import erfcinv
from autodiff.chainer.functions.math.erfcx import erfcx
from autodiff.chainer.functions.math.erfinv import erfinv
from autodiff.chainer.functions.math.exponential import exp, log, log2, log10
from autodiff.chainer.functions.math.exponential_m1 import expm1
from autodiff.chainer.functions.math.fft import fft, ifft
from autodiff.chainer.functions.math.fix import fix
from autodiff.chainer.functions.math.floor import floor
from autodiff.chainer.functions.math.fmod import fmod
from autodiff.chainer.functions.math.hyperbolic import cosh, sinh
from autodiff.chainer.functions.math.identity import identity
from autodiff.chainer.functions.math.inv import batch_inv, inv
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.chainer.functions.math.linear_interpolate import linear_interpolate
from autodiff.chainer.functions.math.log_ndtr import log_ndtr
from autodiff.chainer.functions.math.logarithm_1p import log1p
from autodiff.chainer.functions.math.logsumexp import logsumexp
from autodiff.chainer.functions.math.matmul import batch_matmul, matmul
from autodiff.chainer.functions.math.maximum import maximum
from autodiff.chainer.functions.math.minimum import minimum
from autodiff.chainer.functions.math.minmax import argmax, argmin, max, min
from autodiff.chainer.functions.math.ndtr import ndtr
from autodiff.chainer.functions.math.ndtri import ndtri
from autodiff.chainer.functions.math.polygamma import polygamma
from autodiff.chainer.functions.math.prod import prod
from autodiff.chainer.functions.math.scale import scale
from autodiff.chainer.functions.math.sign import sign
from autodiff.chainer.functions.math.sparse_matmul import sparse_matmul
from autodiff.chainer.functions.math.sqrt import rsqrt, sqrt
from autodiff.chainer.functions.math.square import square
from autodiff.chainer.functions.math.sum import sum, sum_to
from autodiff.chainer.functions.math.tensordot import tensordot
from autodiff.chainer.functions.math.trigonometric import arccos, arcsin, arctan, arctan2, cos, sin, tan
from autodiff.chainer.functions.math.zeta import zeta
from autodiff.chainer.functions.noise.dropout import dropout
from autodiff.chainer.functions.noise.gaussian import gaussian
from autodiff.chainer.functions.noise.gumbel_softmax import gumbel_softmax
from autodiff.chainer.functions.noise.simplified_dropconnect import simplified_dropconnect
from autodiff.chainer.functions.noise.zoneout import zoneout
from autodiff.chainer.functions.normalization.batch_normalization import batch_normalization, fixed_batch_normalization
from autodiff.chainer.functions.normalization.batch_renormalization import (
    batch_renormalization,
    fixed_batch_renormalization,
)
from autodiff.chainer.functions.normalization.decorrelated_batch_normalization import (
    decorrelated_batch_normalization,
    fixed_decorrelated_batch_normalization,
)
from autodiff.chainer.functions.normalization.group_normalization import group_normalization
from autodiff.chainer.functions.normalization.l2_normalization import normalize
from autodiff.chainer.functions.normalization.layer_normalization import layer_normalization
from autodiff.chainer.functions.normalization.local_response_normalization import local_response_normalization
from autodiff.chainer.functions.pooling.average_pooling_2d import average_pooling_2d
from autodiff.chainer.functions.pooling.average_pooling_nd import (
    average_pooling_1d,
    average_pooling_3d,
    average_pooling_nd,
)
from autodiff.chainer.functions.pooling.max_pooling_nd import (
    max_pooling_1d,
    max_pooling_2d,
    max_pooling_3d,
    max_pooling_nd,
)
from autodiff.chainer.functions.pooling.roi_average_align_2d import roi_average_align_2d
from autodiff.chainer.functions.pooling.roi_average_pooling_2d import roi_average_pooling_2d
from autodiff.chainer.functions.pooling.roi_max_align_2d import roi_max_align_2d
from autodiff.chainer.functions.pooling.roi_max_pooling_2d import roi_max_pooling_2d
from autodiff.chainer.functions.pooling.roi_pooling_2d import roi_pooling_2d
from autodiff.chainer.functions.pooling.spatial_pyramid_pooling_2d import spatial_pyramid_pooling_2d
from autodiff.chainer.functions.pooling.unpooling_2d import unpooling_2d
from autodiff.chainer.functions.pooling.unpooling_nd import unpooling_1d, unpooling_3d, unpooling_nd
from autodiff.chainer.functions.pooling.upsampling_2d import upsampling_2d
from autodiff.chainer.functions.rnn.lstm import lstm
from autodiff.chainer.functions.rnn.n_step_gru import n_step_bigru, n_step_gru
from autodiff.chainer.functions.rnn.n_step_lstm import n_step_bilstm, n_step_lstm
from autodiff.chainer.functions.rnn.n_step_rnn import n_step_birnn, n_step_rnn
from autodiff.chainer.functions.rnn.slstm import slstm
from autodiff.chainer.functions.rnn.tree_lstm import tree_lstm
from autodiff.chainer.functions.util.forget import forget


def __getattr__(name: str) -> _NoReturn:
    hint = "; Chainer 1 had classes: run a program that needs them with --compat v1" if name[:1].isupper() else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


__all__ = [
    "absolute",
    "absolute_error",
    "accuracy",
    "add",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmax_crf1d",
    "argmin",
    "as_strided",
    "average",
    "average_pooling_1d",
    "average_pooling_2d",
    "average_pooling_3d",
    "average_pooling_nd",
    "batch_det",
    "batch_inv",
    "batch_l2_norm_squared",
    "batch_matmul",
    "batch_normalization",
    "batch_renormalization",
    "bernoulli_nll",
    "bias",
    "bilinear",
    "binary_accuracy",
    "black_out",
    "broadcast",
    "broadcast_to",
    "cast",
    "ceil",
    "cholesky",
    "classification_summary",
    "clip",
    "clipped_relu",
    "concat",
    "connectionist_temporal_classification",
    "contrastive",
    "convolution_1d",
    "convolution_2d",
    "convolution_3d",
    "convolution_nd",
    "copy",
    "cos",
    "cosh",
    "crelu",
    "crf1d",
    "cross_covariance",
    "cumprod",
    "cumsum",
    "deconvolution_1d",
    "deconvolution_2d",
    "deconvolution_3d",
    "deconvolution_nd",
    "decorrelated_batch_normalization",
    "decov",
    "deformable_convolution_2d_sampler",
    "depth2space",
    "depthwise_convolution_2d",
    "det",
    "diagonal",
    "digamma",
    "dilated_convolution_2d",
    "discriminative_margin_based_clustering_loss",
    "dropout",
    "dstack",
    "einsum",
    "elu",
    "embed_id",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "expand_dims",
    "expm1",
    "f1_score",
    "fft",
    "fix",
    "fixed_batch_normalization",
    "fixed_batch_renormalization",
    "fixed_decorrelated_batch_normalization",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "fmod",
    "forget",
    "gaussian",
    "gaussian_kl_divergence",
    "gaussian_nll",
    "get_item",
    "group_normalization",
    "gumbel_softmax",
    "hard_sigmoid",
    "hinge",
    "hstack",
    "huber_loss",
    "identity",
    "ifft",
    "im2col",
    "inv",
    "layer_normalization",
    "leaky_relu",
    "lgamma",
    "linear",
    "linear_interpolate",
    "local_convolution_2d",
    "local_response_normalization",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_ndtr",
    "log_softmax",
    "logsumexp",
    "lstm",
    "matmul",
    "max",
    "max_pooling_1d",
    "max_pooling_2d",
    "max_pooling_3d",
    "max_pooling_nd",
    "maximum",
    "maxout",
    "mean",
    "mean_absolute_error",
    "mean_squared_error",
    "min",
    "minimum",
    "moveaxis",
    "n_step_bigru",
    "n_step_bilstm",
    "n_step_birnn",
    "n_step_gru",
    "n_step_lstm",
    "n_step_rnn",
    "ndtr",
    "ndtri",
    "negative_sampling",
    "normalize",
    "pad",
    "pad_sequence",
    "permutate",
    "polygamma",
    "precision",
    "prelu",
    "prod",
    "r2_score",
    "recall",
    "relu",
    "relu6",
    "repeat",
    "reshape",
    "resize_images",
    "roi_average_align_2d",
    "roi_average_pooling_2d",
    "roi_max_align_2d",
    "roi_max_pooling_2d",
    "roi_pooling_2d",
    "rollaxis",
    "rrelu",
    "rsqrt",
    "scale",
    "scatter_add",
    "select_item",
    "selu",
    "separate",
    "shift",
    "sigmoid",
    "sigmoid_cross_entropy",
    "sign",
    "simplified_dropconnect",
    "sin",
    "sinh",
    "slstm",
    "softmax",
    "softmax_cross_entropy",
    "softplus",
    "space2depth",
    "sparse_matmul",
    "spatial_pyramid_pooling_2d",
    "spatial_transformer_grid",
    "spatial_transformer_sampler",
    "split_axis",
    "sqrt",
    "square",
    "squared_difference",
    "squared_error",
    "squeeze",
    "stack",
    "sum",
    "sum_to",
    "swapaxes",
    "swish",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "transpose",
    "transpose_sequence",
    "tree_lstm",
    "triplet",
    "unpooling_1d",
    "unpooling_2d",
    "unpooling_3d",
    "unpooling_nd",
    "upsampling_2d",
    "vstack",
    "where",
    "zeta",
    "zoneout",
]
