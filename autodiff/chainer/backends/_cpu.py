"""Where Chainer defines :class:`CpuDevice`."""

from autodiff.facade.settings.devices import CpuDevice

__all__ = ["CpuDevice"]
