"""Where Chainer defines what concerns ChainerX."""

from autodiff.chainer.backend import ChainerxDevice, from_chx, to_chx

__all__ = ["ChainerxDevice", "from_chx", "to_chx"]
