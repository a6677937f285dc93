"""Links that compute losses with weights of their own."""

from autodiff.chainer.links.loss.black_out import BlackOut
from autodiff.chainer.links.loss.crf1d import CRF1d
from autodiff.chainer.links.loss.hierarchical_softmax import BinaryHierarchicalSoftmax
from autodiff.chainer.links.loss.negative_sampling import NegativeSampling

__all__ = ["BinaryHierarchicalSoftmax", "BlackOut", "CRF1d", "NegativeSampling"]
