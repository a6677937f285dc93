"""How far training has come."""

from __future__ import annotations

import sys
from typing import Any

from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions import util


class ProgressBar(Extension):
    """Shows two bars, the counters, the speed and the time that is left.

    Args:
        training_length: the end of training as ``(20, "epoch")``; asked of the stop trigger if None.
        update_interval: iterations between two drawings.
        bar_length: the length of the bars in characters.
        out: the stream.
    """

    def __init__(
        self,
        training_length: tuple[float, str] | None = None,
        update_interval: int = 100,
        bar_length: int = 50,
        out: Any = None,
    ) -> None:
        self._training_length = training_length
        self._update_interval = update_interval
        self._bar_length = bar_length
        self._out = sys.stdout if out is None else out
        self._pbar = TrainerProgressBar(training_length, bar_length, self._out)

    def __call__(self, trainer: Any) -> None:
        if trainer.updater.iteration % self._update_interval == 0:
            self._pbar.trainer = trainer
            self._pbar.update()

    def finalize(self) -> None:
        """Take the bars away."""
        self._pbar.close()


class TrainerProgressBar(util.ProgressBar):
    """The lines about a trainer."""

    trainer: Any = None

    def __init__(self, training_length: tuple[float, str] | None, bar_length: int, out: Any) -> None:
        super().__init__(bar_length, out)
        self.training_length = training_length

    def length(self) -> tuple[float, str]:
        """The end of training and its unit.

        Raises:
            AttributeError: if it is not given and the stop trigger does not know it.
        """
        if self.training_length is None:
            trigger = self.trainer.stop_trigger
            if not hasattr(trigger, "get_training_length"):
                raise AttributeError(
                    f"ProgressBar cannot tell how long training is: the stop trigger {trigger!r} has no "
                    "get_training_length(); pass training_length=(20, 'epoch')"
                )
            self.training_length = trigger.get_training_length()
        return self.training_length

    def get_lines(self) -> list[str]:
        """Four lines: the bars, the counters and the speed."""
        length, unit = self.length()
        updater = self.trainer.updater
        iteration, epoch = updater.iteration, updater.epoch_detail
        done = iteration if unit == "iteration" else epoch
        return [
            f"     total {self.bar(min(done / length, 1.0))}\n",
            f"this epoch {self.bar(epoch - int(epoch))}\n",
            f"{iteration:10} iter, {updater.epoch} epoch / {length} {unit}s\n",
            self.speed_line(iteration, epoch, length - done, unit),
        ]
