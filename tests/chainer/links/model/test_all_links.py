"""All links of Chainer are there, in the modules where Chainer has them."""

from __future__ import annotations

import importlib

import pytest

import autodiff.chainer.links as L
from autodiff.chainer.link import Link
from autodiff.chainer.links.caffe import CaffeFunction

MODULES = [
    "activation.maxout",
    "activation.prelu",
    "activation.simplified_dropconnect",
    "activation.swish",
    "caffe.caffe_function",
    "connection.bias",
    "connection.bilinear",
    "connection.convolution_2d",
    "connection.convolution_nd",
    "connection.deconvolution_2d",
    "connection.deconvolution_nd",
    "connection.deformable_convolution_2d",
    "connection.depthwise_convolution_2d",
    "connection.dilated_convolution_2d",
    "connection.embed_id",
    "connection.highway",
    "connection.inception",
    "connection.inceptionbn",
    "connection.linear",
    "connection.local_convolution_2d",
    "connection.mlp_convolution_2d",
    "connection.parameter",
    "connection.scale",
    "loss.black_out",
    "loss.crf1d",
    "loss.hierarchical_softmax",
    "loss.negative_sampling",
    "model.classifier",
    "model.vision.googlenet",
    "model.vision.resnet",
    "model.vision.vgg",
    "normalization.batch_normalization",
    "normalization.batch_renormalization",
    "normalization.decorrelated_batch_normalization",
    "normalization.group_normalization",
    "normalization.layer_normalization",
    "rnn.gru",
    "rnn.lstm",
    "rnn.mgu",
    "rnn.n_step_gru",
    "rnn.n_step_lstm",
    "rnn.n_step_rnn",
    "rnn.peephole",
    "rnn.tree_lstm",
    "rnn.zoneoutlstm",
    "theano.theano_function",
]


@pytest.mark.parametrize("name", MODULES)
def test_modules_stand_where_chainer_has_them(name: str):
    importlib.import_module(f"autodiff.chainer.links.{name}")


def test_all_links_are_exported():
    assert len(L.__all__) == 62
    assert all(issubclass(getattr(L, name), Link) for name in L.__all__)
    modules = {getattr(L, name).__module__.removeprefix("autodiff.chainer.links.") for name in L.__all__}
    assert modules == set(MODULES) - {"caffe.caffe_function"}


def test_what_is_not_implemented_says_so():
    text = (
        r"^chainer.links.caffe.CaffeFunction is not implemented in autodiff \(test_all_links.py:\d+\), got 'a.caffemodel'; "
        r"convert the file to npz with Chainer 7 \(convert_caffemodel_to_npz\), and load that$"
    )
    with pytest.raises(NotImplementedError, match=text):
        CaffeFunction("a.caffemodel")
    text = (
        r"^chainer.links.TheanoFunction is not implemented in autodiff \(test_all_links.py:\d+\); write the function with "
        r"NumPy, whose functions work on Variables$"
    )
    with pytest.raises(NotImplementedError, match=text):
        L.TheanoFunction([], [])
