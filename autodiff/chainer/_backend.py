"""Where Chainer defines :class:`Device`."""

from autodiff.facade.settings.devices import Device

__all__ = ["Device"]
