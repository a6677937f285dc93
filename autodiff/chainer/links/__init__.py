"""Links: layers with parameters, and models made of them."""

from autodiff.chainer.links.activation.maxout import Maxout
from autodiff.chainer.links.activation.prelu import PReLU
from autodiff.chainer.links.activation.simplified_dropconnect import SimplifiedDropconnect
from autodiff.chainer.links.activation.swish import Swish
from autodiff.chainer.links.connection.bias import Bias
from autodiff.chainer.links.connection.bilinear import Bilinear
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.connection.convolution_nd import Convolution1D, Convolution3D, ConvolutionND
from autodiff.chainer.links.connection.deconvolution_2d import Deconvolution2D
from autodiff.chainer.links.connection.deconvolution_nd import Deconvolution1D, Deconvolution3D, DeconvolutionND
from autodiff.chainer.links.connection.deformable_convolution_2d import DeformableConvolution2D
from autodiff.chainer.links.connection.depthwise_convolution_2d import DepthwiseConvolution2D
from autodiff.chainer.links.connection.dilated_convolution_2d import DilatedConvolution2D
from autodiff.chainer.links.connection.embed_id import EmbedID
from autodiff.chainer.links.connection.highway import Highway
from autodiff.chainer.links.connection.inception import Inception
from autodiff.chainer.links.connection.inceptionbn import InceptionBN
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.connection.local_convolution_2d import LocalConvolution2D
from autodiff.chainer.links.connection.mlp_convolution_2d import MLPConvolution2D
from autodiff.chainer.links.connection.parameter import Parameter
from autodiff.chainer.links.connection.scale import Scale
from autodiff.chainer.links.loss.black_out import BlackOut
from autodiff.chainer.links.loss.crf1d import CRF1d
from autodiff.chainer.links.loss.hierarchical_softmax import BinaryHierarchicalSoftmax
from autodiff.chainer.links.loss.negative_sampling import NegativeSampling
from autodiff.chainer.links.model.classifier import Classifier
from autodiff.chainer.links.model.vision.googlenet import GoogLeNet
from autodiff.chainer.links.model.vision.resnet import ResNet50Layers, ResNet101Layers, ResNet152Layers
from autodiff.chainer.links.model.vision.vgg import VGG16Layers, VGG19Layers
from autodiff.chainer.links.normalization.batch_normalization import BatchNormalization
from autodiff.chainer.links.normalization.batch_renormalization import BatchRenormalization
from autodiff.chainer.links.normalization.decorrelated_batch_normalization import DecorrelatedBatchNormalization
from autodiff.chainer.links.normalization.group_normalization import GroupNormalization
from autodiff.chainer.links.normalization.layer_normalization import LayerNormalization
from autodiff.chainer.links.rnn.gru import GRU, StatefulGRU, StatelessGRU
from autodiff.chainer.links.rnn.lstm import LSTM, StatelessLSTM
from autodiff.chainer.links.rnn.mgu import StatefulMGU, StatelessMGU
from autodiff.chainer.links.rnn.n_step_gru import NStepBiGRU, NStepGRU
from autodiff.chainer.links.rnn.n_step_lstm import NStepBiLSTM, NStepLSTM
from autodiff.chainer.links.rnn.n_step_rnn import NStepBiRNNReLU, NStepBiRNNTanh, NStepRNNReLU, NStepRNNTanh
from autodiff.chainer.links.rnn.peephole import StatefulPeepholeLSTM
from autodiff.chainer.links.rnn.tree_lstm import ChildSumTreeLSTM, NaryTreeLSTM
from autodiff.chainer.links.rnn.zoneoutlstm import StatefulZoneoutLSTM
from autodiff.chainer.links.theano.theano_function import TheanoFunction

__all__ = [
    "GRU",
    "LSTM",
    "BatchNormalization",
    "BatchRenormalization",
    "Bias",
    "Bilinear",
    "BinaryHierarchicalSoftmax",
    "BlackOut",
    "CRF1d",
    "ChildSumTreeLSTM",
    "Classifier",
    "Convolution1D",
    "Convolution2D",
    "Convolution3D",
    "ConvolutionND",
    "Deconvolution1D",
    "Deconvolution2D",
    "Deconvolution3D",
    "DeconvolutionND",
    "DecorrelatedBatchNormalization",
    "DeformableConvolution2D",
    "DepthwiseConvolution2D",
    "DilatedConvolution2D",
    "EmbedID",
    "GoogLeNet",
    "GroupNormalization",
    "Highway",
    "Inception",
    "InceptionBN",
    "LayerNormalization",
    "Linear",
    "LocalConvolution2D",
    "MLPConvolution2D",
    "Maxout",
    "NStepBiGRU",
    "NStepBiLSTM",
    "NStepBiRNNReLU",
    "NStepBiRNNTanh",
    "NStepGRU",
    "NStepLSTM",
    "NStepRNNReLU",
    "NStepRNNTanh",
    "NaryTreeLSTM",
    "NegativeSampling",
    "PReLU",
    "Parameter",
    "ResNet50Layers",
    "ResNet101Layers",
    "ResNet152Layers",
    "Scale",
    "SimplifiedDropconnect",
    "StatefulGRU",
    "StatefulMGU",
    "StatefulPeepholeLSTM",
    "StatefulZoneoutLSTM",
    "StatelessGRU",
    "StatelessLSTM",
    "StatelessMGU",
    "Swish",
    "TheanoFunction",
    "VGG16Layers",
    "VGG19Layers",
]
