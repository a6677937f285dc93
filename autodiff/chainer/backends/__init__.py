"""What is particular to one kind of device."""

from autodiff.chainer.backends import cuda, intel64

__all__ = ["cuda", "intel64"]
