"""When an extension is called, or training stops."""

from autodiff.chainer.training.triggers.early_stopping_trigger import EarlyStoppingTrigger
from autodiff.chainer.training.triggers.interval_trigger import IntervalTrigger
from autodiff.chainer.training.triggers.manual_schedule_trigger import ManualScheduleTrigger
from autodiff.chainer.training.triggers.minmax_value_trigger import BestValueTrigger, MaxValueTrigger, MinValueTrigger
from autodiff.chainer.training.triggers.once_trigger import OnceTrigger
from autodiff.chainer.training.triggers.time_trigger import TimeTrigger

__all__ = [
    "BestValueTrigger",
    "EarlyStoppingTrigger",
    "IntervalTrigger",
    "ManualScheduleTrigger",
    "MaxValueTrigger",
    "MinValueTrigger",
    "OnceTrigger",
    "TimeTrigger",
]
