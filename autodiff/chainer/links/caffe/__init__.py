"""Links of models of Caffe."""

from autodiff.chainer.links.caffe.caffe_function import CaffeFunction

__all__ = ["CaffeFunction"]
