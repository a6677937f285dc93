"""The training loop and what plugs into it."""

from autodiff.chainer.training import extensions, trigger, triggers, updater, updaters
from autodiff.chainer.training._updater import Updater
from autodiff.chainer.training.extension import (
    PRIORITY_EDITOR,
    PRIORITY_READER,
    PRIORITY_WRITER,
    Extension,
    make_extension,
)
from autodiff.chainer.training.trainer import Trainer
from autodiff.chainer.training.triggers.interval_trigger import IntervalTrigger
from autodiff.chainer.training.updaters.parallel_updater import ParallelUpdater
from autodiff.chainer.training.updaters.standard_updater import StandardUpdater
from autodiff.chainer.training.util import get_trigger

__all__ = [
    "PRIORITY_EDITOR",
    "PRIORITY_READER",
    "PRIORITY_WRITER",
    "Extension",
    "IntervalTrigger",
    "ParallelUpdater",
    "StandardUpdater",
    "Trainer",
    "Updater",
    "extensions",
    "get_trigger",
    "make_extension",
    "trigger",
    "triggers",
    "updater",
    "updaters",
]
