"""Chainer's older place of updaters."""

from autodiff.chainer.training._updater import Updater
from autodiff.chainer.training.updaters.parallel_updater import ParallelUpdater
from autodiff.chainer.training.updaters.standard_updater import StandardUpdater

__all__ = ["ParallelUpdater", "StandardUpdater", "Updater"]
