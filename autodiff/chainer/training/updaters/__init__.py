"""What makes one update of the parameters."""

from autodiff.chainer.training.updaters.multiprocess_parallel_updater import MultiprocessParallelUpdater
from autodiff.chainer.training.updaters.parallel_updater import ParallelUpdater
from autodiff.chainer.training.updaters.standard_updater import StandardUpdater

__all__ = ["MultiprocessParallelUpdater", "ParallelUpdater", "StandardUpdater"]
