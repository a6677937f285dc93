"""What may be given as a trigger: Chainer's place of ``get_trigger``."""

from autodiff.chainer.training.triggers.argument import _never_fire_trigger, get_trigger

__all__ = ["_never_fire_trigger", "get_trigger"]
