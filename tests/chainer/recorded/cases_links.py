"""Every link: how it is initialized, what it computes, what it keeps."""

import numpy as np

from tests.chainer.recorded.arrays import fixed, literal, normal
from tests.chainer.recorded.linking import link
from tests.chainer.recorded.names import F, I, L, chainer

IMAGE = normal(2, 3, 4, 4)
SEQUENCES = (normal(3, 2), normal(2, 2), normal(1, 2))


def steps(network, *xs):
    """The outputs of a stateful network for one input after another."""
    return [network(x) for x in xs]


def twice(network, x):
    return network(x), network(x * 2)


def sequences(network, *xs):
    """All outputs of an `NStep*` network from initial states of zeros."""
    states = 2 if hasattr(network, "rnn") and "LSTM" in type(network).__name__ else 1
    return network(*[None] * states, list(xs))


def tree():
    return L.BinaryHierarchicalSoftmax.value().create_huffman_tree({0: 5, 1: 3, 2: 2, 3: 1})


def classifier():
    return L.Classifier(chainer.Sequential(L.Linear(3, 4), F.relu.value(), L.Linear(4, 2)))


def sampler(network, x):
    return network(x, np.array([1, 0, 2], "i"))


RECURRENT = (
    L.NStepLSTM, L.NStepGRU, L.NStepRNNTanh, L.NStepRNNReLU, L.NStepBiLSTM, L.NStepBiGRU, L.NStepBiRNNTanh, L.NStepBiRNNReLU,
)  # fmt: skip

CASES = [
    link("Linear", lambda: L.Linear(3, 2), normal(4, 3), dtypes="fde"),
    link("Linear one argument", lambda: L.Linear(2), normal(4, 3)),
    link("Linear None", lambda: L.Linear(None, 2), normal(4, 3, 2)),
    link("Linear nobias", lambda: L.Linear(3, 2, nobias=True), normal(4, 3)),
    link("Linear initial", lambda: L.Linear(3, 2, initialW=I.HeNormal(), initial_bias=1), normal(4, 3)),
    link("Linear scalar initial", lambda: L.Linear(3, 2, False, 0.5, I.Uniform(0.1)), normal(4, 3)),
    link("Linear n_batch_axes", lambda: L.Linear(3, 2), normal(2, 4, 3), call=lambda f, x: f(x, n_batch_axes=2)),
    link("Bias", lambda: L.Bias(shape=(3,)), normal(2, 3)),
    link("Bias given", lambda: L.Bias(axis=1), normal(2, 3), normal(3)),
    link("Scale", lambda: L.Scale(W_shape=(3,), bias_term=True), normal(2, 3)),
    link("Scale given", lambda: L.Scale(bias_term=True, bias_shape=(3,)), normal(2, 3), normal(3)),
    link("Bilinear", lambda: L.Bilinear(3, 2, 4), normal(2, 3), normal(2, 2), dtypes="f"),
    link("Bilinear nobias", lambda: L.Bilinear(3, 2, 4, nobias=True), normal(2, 3), normal(2, 2), dtypes="f"),
    link("EmbedID", lambda: L.EmbedID(5, 3), fixed([4, 0, 4])),
    link("EmbedID ignore_label", lambda: L.EmbedID(5, 3, ignore_label=-1), fixed([[4, -1], [0, 4]])),
    link("EmbedID initialW", lambda: L.EmbedID(3, 2, initialW=I.Normal(1.0)), fixed([0, 2])),
    link("Parameter", lambda: L.Parameter(np.array([1.0, 2.0], "f")), dtypes="f"),
    link("PReLU", lambda: L.PReLU(), normal(2, 3)),
    link("PReLU shape", lambda: L.PReLU((3,), 0.5), normal(2, 3)),
    link("Swish", lambda: L.Swish((3,)), normal(2, 3)),
    link("Swish None", lambda: L.Swish(None, 0.5), normal(2, 3)),
    link("Maxout", lambda: L.Maxout(3, 2, 2), normal(4, 3)),
    link("Highway", lambda: L.Highway(3), normal(2, 3)),
    link("Highway tanh", lambda: L.Highway(3, activate=F.tanh.value(), nobias=False), normal(2, 3)),
    # Convolutions
    link("Convolution2D", lambda: L.Convolution2D(3, 2, 3), IMAGE, dtypes="fde"),
    link("Convolution2D None", lambda: L.Convolution2D(None, 2, 3, pad=1), IMAGE),
    link("Convolution2D two arguments", lambda: L.Convolution2D(2, 3, stride=2), IMAGE),
    link("Convolution2D nobias", lambda: L.Convolution2D(3, 2, (2, 3), stride=(1, 2), nobias=True), IMAGE),
    link("Convolution2D dilate", lambda: L.Convolution2D(3, 2, 2, dilate=2, initialW=I.GlorotUniform()), IMAGE),
    link("Convolution2D groups", lambda: L.Convolution2D(4, 2, 2, groups=2), normal(1, 4, 3, 3)),
    link("Convolution1D", lambda: L.Convolution1D(2, 3, 2), normal(2, 2, 4)),
    link("Convolution1D None", lambda: L.Convolution1D(None, 3, 2, pad=1), normal(2, 2, 4)),
    link("Convolution3D", lambda: L.Convolution3D(2, 2, 2), normal(1, 2, 2, 3, 2)),
    link("ConvolutionND", lambda: L.ConvolutionND(1, 2, 3, 2, stride=2), normal(2, 2, 5)),
    link("Deconvolution2D", lambda: L.Deconvolution2D(3, 2, 2), normal(1, 3, 2, 2)),
    link("Deconvolution2D None", lambda: L.Deconvolution2D(None, 2, 3, stride=2, pad=1), normal(1, 3, 2, 2)),
    link("Deconvolution2D outsize", lambda: L.Deconvolution2D(3, 2, 3, 2, 1, outsize=(4, 4), nobias=True), normal(1, 3, 2, 2)),
    link("Deconvolution1D", lambda: L.Deconvolution1D(2, 3, 2), normal(2, 2, 4)),
    link("Deconvolution3D", lambda: L.Deconvolution3D(2, 1, 2), normal(1, 2, 2, 2, 2)),
    link("DeconvolutionND", lambda: L.DeconvolutionND(1, 2, 3, 2, stride=2), normal(2, 2, 3)),
    link("DepthwiseConvolution2D", lambda: L.DepthwiseConvolution2D(3, 2, 2), IMAGE),
    link("DilatedConvolution2D", lambda: L.DilatedConvolution2D(3, 2, 2, dilate=2), IMAGE),
    link("LocalConvolution2D", lambda: L.LocalConvolution2D(3, 2, (4, 4), 3), IMAGE),
    link("DeformableConvolution2D", lambda: L.DeformableConvolution2D(3, 2, 2), IMAGE, tolerance=2),
    link("MLPConvolution2D", lambda: L.MLPConvolution2D(3, (4, 2), 3), IMAGE),
    link("MLPConvolution2D None", lambda: L.MLPConvolution2D(None, (4, 2), 3, pad=1, activation=F.tanh.value()), IMAGE),
    link("Inception", lambda: L.Inception(3, 2, 2, 3, 2, 2, 2), IMAGE),
    link("InceptionBN max", lambda: L.InceptionBN(3, 2, 2, 2, 2, 2, "max", 2), IMAGE, tolerance=10),
    link("InceptionBN avg", lambda: L.InceptionBN(3, 2, 2, 2, 2, 2, "avg", 2), IMAGE, tolerance=10),
    link("InceptionBN stride", lambda: L.InceptionBN(3, 0, 2, 2, 2, 2, "max", stride=2), IMAGE, tolerance=10),
    link("InceptionBN test", lambda: L.InceptionBN(3, 2, 2, 2, 2, 2, "max", 2), IMAGE, tolerance=10, train=False),
    # Normalization
    link("BatchNormalization", lambda: L.BatchNormalization(3), normal(4, 3), call=twice, tolerance=4, dtypes="fde"),
    link("BatchNormalization images", lambda: L.BatchNormalization(3, decay=0.5, eps=1e-3), IMAGE, call=twice, tolerance=4),
    link("BatchNormalization test", lambda: L.BatchNormalization(3), normal(4, 3), train=False),
    link("BatchNormalization None", lambda: L.BatchNormalization(axis=(0, 2, 3)), IMAGE, tolerance=4),
    link("BatchNormalization axis", lambda: L.BatchNormalization(axis=0), normal(4, 3, 2), tolerance=4),
    link("BatchNormalization plain", lambda: L.BatchNormalization(3, use_gamma=False, use_beta=False), normal(4, 3)),
    link("BatchNormalization initial", lambda: L.BatchNormalization(3, initial_gamma=2, initial_beta=1, initial_avg_mean=0.5, initial_avg_var=2), normal(4, 3), train=False),
    link("BatchNormalization finetune", lambda: L.BatchNormalization(3), normal(4, 3), call=lambda f, x: (f(x, finetune=True), f(x * 2, finetune=True)), tolerance=4),
    link("BatchRenormalization", lambda: L.BatchRenormalization(3, 1.5, 0.5), normal(4, 3), tolerance=4),
    link("LayerNormalization", lambda: L.LayerNormalization(3), normal(4, 3)),
    link("LayerNormalization None", lambda: L.LayerNormalization(None, eps=0.1), normal(4, 3)),
    link("GroupNormalization", lambda: L.GroupNormalization(2, 4), normal(2, 4, 3)),
    link("GroupNormalization None", lambda: L.GroupNormalization(2), normal(2, 4, 2, 2)),
    link("DecorrelatedBatchNormalization", lambda: L.DecorrelatedBatchNormalization(4, groups=2), normal(8, 4), tolerance=20, dtypes="f"),
    # Recurrent
    link("LSTM", lambda: L.LSTM(2, 3), normal(2, 2), normal(2, 2), normal(1, 2), call=steps),
    link("LSTM one argument", lambda: L.LSTM(3), normal(2, 2), normal(2, 2), call=steps),
    link("LSTM initial", lambda: L.LSTM(2, 3, lateral_init=I.Normal(), upward_init=I.Uniform(), bias_init=0.5, forget_bias_init=2), normal(2, 2), call=steps),
    link("StatelessLSTM", lambda: L.StatelessLSTM(2, 3), normal(2, 2), call=lambda f, x: f(*f(None, None, x), x)),
    link("GRU", lambda: L.GRU(2, 3), normal(2, 2), normal(2, 2), call=steps),
    link("StatefulGRU", lambda: L.StatefulGRU(2, 3, bias_init=0.5), normal(2, 2), normal(2, 2), call=steps),
    link("StatelessGRU", lambda: L.StatelessGRU(2, 3), normal(2, 3), normal(2, 2)),
    link("StatefulMGU", lambda: L.StatefulMGU(2, 3), normal(2, 2), normal(2, 2), call=steps),
    link("StatelessMGU", lambda: L.StatelessMGU(2, 3), normal(2, 3), normal(2, 2)),
    link("StatefulPeepholeLSTM", lambda: L.StatefulPeepholeLSTM(2, 3), normal(2, 2), normal(2, 2), call=steps),
    link("StatefulZoneoutLSTM", lambda: L.StatefulZoneoutLSTM(2, 3), normal(2, 2), normal(2, 2), call=steps),
    link("ChildSumTreeLSTM", lambda: L.ChildSumTreeLSTM(2, 3), normal(2, 3), normal(2, 3), normal(2, 3), normal(2, 3), normal(2, 2)),
    link("NaryTreeLSTM", lambda: L.NaryTreeLSTM(2, 3), normal(2, 3), normal(2, 3), normal(2, 3), normal(2, 3), normal(2, 2)),
    *(link(kind.path[-1], lambda kind=kind: kind(1, 2, 3, 0.0), *SEQUENCES, call=sequences) for kind in RECURRENT),
    *(link(f"{kind.path[-1]} layers", lambda kind=kind: kind(2, 2, 2, 0.0), *SEQUENCES, call=sequences) for kind in RECURRENT),
    link("NStepLSTM dropout", lambda: L.NStepLSTM(2, 2, 2, 0.5), *SEQUENCES, call=sequences),
    link("NStepLSTM initial", lambda: L.NStepLSTM(1, 2, 2, 0.0, initialW=I.Constant(0.25), initial_bias=0.5), *SEQUENCES, call=sequences),
    link("NStepLSTM states", lambda: L.NStepLSTM(1, 2, 3, 0.0), normal(1, 2, 3), normal(1, 2, 3), normal(2, 2), normal(1, 2), call=lambda f, h, c, *xs: f(h, c, list(xs))),
    # Losses
    link("Classifier", classifier, normal(4, 3), fixed([0, 1, 1, 0])),
    link("NegativeSampling", lambda: L.NegativeSampling(2, [5, 3, 2, 1], 3), normal(3, 2), call=sampler),
    link("NegativeSampling power", lambda: L.NegativeSampling(2, [5, 3, 2, 1], 3, power=0.5), normal(3, 2), call=sampler),
    link("BlackOut", lambda: L.BlackOut(2, [5, 3, 2, 1], 3), normal(3, 2), call=sampler, dtypes="f"),
    link("BinaryHierarchicalSoftmax", lambda: L.BinaryHierarchicalSoftmax(2, tree()), normal(3, 2), call=sampler),
    link("CRF1d", lambda: L.CRF1d(3), normal(2, 3), normal(2, 3), normal(1, 3), call=lambda f, *xs: f(xs, [np.array(y, "i") for y in ([0, 1], [2, 0], [1])])),
    link("CRF1d transpose", lambda: L.CRF1d(3, I.Normal(1.0)), normal(2, 3), normal(1, 3), call=lambda f, *xs: f(xs, [np.array([0, 1], "i"), np.array([2], "i")], transpose=True)),
    link("CRF1d argmax", lambda: L.CRF1d(3, I.Normal(1.0)), normal(2, 3), normal(2, 3), normal(1, 3), call=lambda f, *xs: f.argmax(xs)),
    link("SimplifiedDropconnect", lambda: L.SimplifiedDropconnect(3, 2), normal(2, 3)),
    # Structure
    link("Sequential", lambda: chainer.Sequential(L.Linear(3, 2), F.tanh.value(), L.Linear(2, 2)), normal(2, 3)),
    link("Sequential repeat", lambda: chainer.Sequential(L.Linear(3, 3), F.relu.value()).repeat(2), normal(2, 3)),
    link("ChainList", lambda: chainer.ChainList(L.Linear(3, 2), L.Linear(2, 1)), normal(2, 3), call=lambda f, x: f[1](f[0](x))),
    link("Chain", lambda: chainer.Chain(a=L.Linear(3, 2), b=L.EmbedID(4, 2)), normal(2, 3), call=lambda f, x: f.a(x) * f.b(np.array([0, 3], "i"))),
    link("copy init", lambda: L.Linear(3, 2).copy("init"), normal(2, 3)),
    link("repeat", lambda: L.Linear(3, 3).repeat(2), normal(2, 3)),
    link("literal", lambda: L.Linear(1, 1, initialW=np.array([[2.0]], "f"), initial_bias=np.array([1.0], "f")), literal([[3.0]]), dtypes="f"),
]  # fmt: skip
