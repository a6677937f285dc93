"""Chainer's older place of triggers."""

from autodiff.chainer.training.triggers.argument import _never_fire_trigger, get_trigger
from autodiff.chainer.training.triggers.interval_trigger import IntervalTrigger

__all__ = ["IntervalTrigger", "_never_fire_trigger", "get_trigger"]
