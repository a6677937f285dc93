"""Where Chainer defines :class:`Device`."""

from autodiff.facade.devices import Device

__all__ = ["Device"]
