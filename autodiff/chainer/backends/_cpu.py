"""Where Chainer defines :class:`CpuDevice`."""

from autodiff.facade.devices import CpuDevice

__all__ = ["CpuDevice"]
