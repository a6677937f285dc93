"""Links of functions of Theano."""

from autodiff.chainer.links.theano.theano_function import TheanoFunction

__all__ = ["TheanoFunction"]
